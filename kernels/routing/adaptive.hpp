// Adaptive routing: the next hop whose egress holds least, by coarse grades and as far as this ingress knows.
#pragma once

#include <stdexcept>
#include <string>

#include "kernels/base/bits.hpp"
#include "kernels/base/units.hpp"
#include "kernels/routing/chance.hpp"
#include "kernels/routing/flowlets.hpp"

namespace heddle {

struct Adaptive : PlainPolicy {
  static constexpr PolicyParameter kParameters[] = {
      {.key = "per",
       .choices = "packet|flowlet",
       .help = "packet: every packet is free to take another way; flowlet: after every gap of a flow",
       .source = "InfiniBand and Spectrum-X: per packet"},
      {.key = "grade",
       .quantity = Quantity::bytes,
       .value = 16384,
       .min = 1,
       .max = 1e9,
       .help = "queue lengths are compared in whole steps of this, a power of two",
       .source = "judgement: 4 packets; chips grade queues in a few steps"},
      kFlowletGap,
      kFlowletEntries,
      {.key = "detours",
       .choices = "never|when_shorter",
       .help = "when_shorter: through a third group, where twice its grade plus detour_threshold is less than the "
               "grade of the best shortest way; needs dragonfly_plus",
       .source = "UGAL: Kim et al., ISCA 2008; Shpiner et al., HiPINEB 2017"},
      {.key = "detour_threshold",
       .quantity = Quantity::bytes,
       .value = 65536,
       .max = 1e9,
       .help = "by how much the shortest way's queue must be longer than twice the detour's, in whole grades",
       .source = "judgement: 16 packets of 4 KiB"}};
  enum Value : u32 { kPer, kGrade, kGap, kEntries, kDetours, kDetourThreshold };
  enum Per : i64 { kPacket, kFlowlet };
  enum Detours : i64 { kNoDetours, kWhenShorter };

  static constexpr PolicyInfo kInfo = {.name = "adaptive",
                                       .help = "the next hop whose queue is least",
                                       .source = "InfiniBand adaptive routing; Spectrum-X; Broadcom DLB",
                                       .parameters = kParameters,
                                       .multipath = true,
                                       .samples_queues = true,
                                       .reorders = [](std::span<const i64> value) { return value[kPer] == kPacket; }};

  static void set_up(const World& world, Model&, PolicyView& own) {
    const u64 grade = static_cast<u64>(own.value[kGrade]);
    if ((grade & (grade - 1)) != 0) {
      throw std::invalid_argument("routing.adaptive.grade: " + std::to_string(grade) +
                                  " B is no power of two, as a chip's grades are; give 16 KiB, for example");
    }
    for (const Link& link : world.fabric.links) {
      if (bytes_in_ps(world.clocks.epoch_ps, link.ps_per_byte_q16) < u64{1} << 31) continue;
      throw std::invalid_argument(
          "routing.adaptive: a link can send 2 GiB or more within simulation.epoch, which a switch could not count; "
          "take a shorter epoch");
    }
  }

  /// The flowlet table (per packet: none), the epoch, then 32 bits per port: bytes sent there in that epoch.
  static u32 state_words(const PolicyView& own, u32 ports) { return sent_at(own) + 1 + (ports + 1) / 2; }

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const PolicyView& own = at.policy();
    const NextHops hops = at.next_hops();
    SentSince sent(at, at.state() + sent_at(own));
    u32 port = 0;
    if (own.value[kPer] == kPacket) {
      port = least(at, hops, sent);
    } else {
      FlowletTable flowlet(at, at.state(), static_cast<u32>(own.value[kEntries]), own.value[kGap]);
      port = flowlet.fresh() ? least(at, hops, sent) : flowlet.choice();
      if (!at.offers(hops, port) && !is_detour(at, hops, port)) {
        port = at.port(hops, port % hops.count);  // of a flow with other next hops
      }
      flowlet.note(port, port);
    }
    sent.add(port, at.packet.frame_bytes());
    if (at.v.settings.detour_class != 0 && !at.offers(hops, port)) at.count(at.tally.detours);
    return port;
  }

 private:
  /// Frame bytes that this ingress queue has sent to every port since the epoch began.
  class SentSince {
   public:
    HEDDLE_FN SentSince(const RouteContext& at, u64* words) : bytes_(words + 1) {
      const u64 epoch = static_cast<u64>(at.epoch()) + 1;  // 0: never
      if (*words == epoch) return;
      *words = epoch;
      const u32 ports = at.v.first_link[at.node + 1] - at.v.first_link[at.node];
      for (u32 i = 0; i < (ports + 1) / 2; ++i) bytes_[i] = 0;
    }
    HEDDLE_FN u32 to(u32 port) const { return static_cast<u32>(bytes_[port / 2] >> (port % 2 * 32)); }
    HEDDLE_FN void add(u32 port, u32 bytes) { bytes_[port / 2] += u64{bytes} << (port % 2 * 32); }

   private:
    u64* bytes_;
  };

  HEDDLE_FN static u32 sent_at(const PolicyView& own) {
    return FlowletTable::words(own.value[kPer] == kFlowlet ? static_cast<u32>(own.value[kEntries]) : 0);
  }

  HEDDLE_FN static u64 grade(const RouteContext& at, const SentSince& sent, u32 port) {
    return (at.sampled_bytes(port) + sent.to(port)) >> lowest_bit(static_cast<u64>(at.policy().value[kGrade]));
  }

  /// The least grade of some ports, and how many of them have it.
  struct Least {
    u64 grade = ~u64{0};
    u32 ports = 0;

    HEDDLE_FN void take(u64 g) {
      if (g < grade) ports = 0;
      if (g <= grade) grade = g, ++ports;
    }
  };

  /// Chooses at random among the ports of the least grade, so that ingresses do not all choose one port.
  HEDDLE_FN static u32 least(const RouteContext& at, const NextHops& hops, const SentSince& sent) {
    Least of_hops;
    for (u32 i = 0; i < hops.count; ++i) of_hops.take(grade(at, sent, at.port(hops, i)));
    if (may_detour(at, hops)) {
      const u32 port = least_detour(at, hops, sent, of_hops.grade);
      if (port != kNone) return port;
    }
    u32 nth = index_of(arrival_chance(at), of_hops.ports);
    for (u32 i = 0;; ++i) {
      if (grade(at, sent, at.port(hops, i)) == of_hops.grade && nth-- == 0) return at.port(hops, i);
    }
  }

  /// A detour of the least grade, when it is so short that the packet takes it; else kNone.
  HEDDLE_RARE_FN static u32 least_detour(const RouteContext& at, const NextHops& hops, const SentSince& sent,
                                         u64 of_hops) {
    const PolicyView& own = at.policy();
    const u64 threshold = static_cast<u64>(own.value[kDetourThreshold]) / static_cast<u64>(own.value[kGrade]);
    Least of_detours;
    for_each_detour(at, hops, [&](u32 port) { of_detours.take(grade(at, sent, port)); });
    if (of_detours.ports == 0 || of_hops <= 2 * of_detours.grade + threshold) return kNone;
    u32 nth = index_of(arrival_chance(at), of_detours.ports), chosen = kNone;
    for_each_detour(at, hops, [&](u32 port) {
      if (grade(at, sent, port) == of_detours.grade && nth-- == 0) chosen = port;
    });
    return chosen;
  }

  /// Whether the packet may take a way that is no shortest one.
  HEDDLE_FN static bool may_detour(const RouteContext& at, const NextHops& hops) {
    if (at.v.settings.detour_class == 0 || at.policy().value[kDetours] == kNoDetours) return false;
    if (at.packet.traffic_class() != kDetouredClass) return false;
    if (leads_to(at.v, at.node, at.ingress_port()) != LeadsTo::lower_switch) return false;
    for (u32 i = 0; i < hops.count; ++i) {
      if (leads_down(at.v, at.node, at.port(hops, i))) return false;
    }
    return true;
  }

  HEDDLE_FN static bool is_detour(const RouteContext& at, const NextHops& hops, u32 port) {
    bool is = false;
    if (may_detour(at, hops)) for_each_detour(at, hops, [&](u32 detour) { is = is || detour == port; });
    return is;
  }

  /// Calls f(port) for the packet's detours, in port order.
  template <class F>
  HEDDLE_FN static void for_each_detour(const RouteContext& at, const NextHops& hops, const F& f) {
    const NextHops all = at.all_next_hops();
    u32 own = 0;  // both lists are in port order
    for (u32 i = 0; i < all.count; ++i) {
      const u32 port = at.port(all, i);
      while (own < hops.count && at.port(hops, own) < port) ++own;
      if (own < hops.count && at.port(hops, own) == port) continue;
      if (!leads_down(at.v, at.node, port)) f(port);
    }
  }
};

}  // namespace heddle
