#include "kernels/observe/invariants/queues.hpp"

#include "kernels/base/hash.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// [before.head, now.tail) must fit the ring: packets that the next node took in this tick are still there.
const char* check_positions(const FifoPosition& before, const FifoPosition& now, u32 entries) {
  if (is_before(now.sent, now.head) || is_before(now.tail, now.sent)) return "queue positions are out of order";
  if (is_before(now.head, before.head) || is_before(now.sent, before.sent)) return "a queue position went back";
  if (is_before(before.sent, now.head)) return "a packet was taken in the tick in which it started";
  if (now.tail - before.head > entries) return "a ring holds more than its entries";
  return nullptr;
}

const char* check_order(const Reading& r, u32 q, u32 c) {
  const FifoPosition& at = r.now[q];
  const char* problem = nullptr;
  TimePs last = 0;
  const auto in_order = [&](const Packet& packet, TimePs t) {
    if (t < last) problem = "a FIFO is out of order of time";
    if (packet.traffic_class() != c) problem = "a packet is in another class's queue";
    last = t;
  };
  r.each_packet(q, at.head, at.sent, [&](const Packet& packet, TimePs t) {
    in_order(packet, t);
    if (t < r.tick.next_ps) problem = "a packet that has arrived was not taken";
  });
  last = 0;
  r.each_packet(q, at.sent, at.tail, [&](const Packet& packet, TimePs t) {
    in_order(packet, t);
    if (t >= r.tick.to_ps) problem = "a packet waits before it has arrived";
  });
  return problem;
}

std::string check_bytes(const Reading& r, u32 link, u32 q, u32 c) {
  const u32 cell_bytes = r.v.egress[link].cell_bytes;
  u64 bytes = 0;
  r.each_packet(q, r.now[q].sent, r.now[q].tail,
                [&](const Packet& packet, TimePs) { bytes += held_bytes(packet.frame_bytes(), cell_bytes); });
  if (bytes != r.v.queue[q].bytes) {
    return "the queue counts " + std::to_string(r.v.queue[q].bytes) + " B, its packets sum to " + std::to_string(bytes);
  }
  const u64 limit = r.v.settings.limit_bytes[c];
  if (limit != 0 && bytes > limit) {
    return "the queue holds " + std::to_string(bytes) + " B, more than the limit of its class, " +
           std::to_string(limit) + " B";
  }
  return {};
}

}  // namespace

QueueLedger::QueueLedger(const Model& model)
    : contents_(static_cast<std::size_t>(model.view.links) * model.view.settings.classes) {}

const char* QueueLedger::check_places(const Reading& r, u32 q) {
  const FifoPosition& at = r.now[q];
  Contents& before = contents_[q];
  Contents now{r.v.settings.watchdog_ps == 0 ? at.tail : at.sent, 0};
  u64 still = 0;
  u32 p = r.before[q].head;
  r.each_packet(q, p, at.tail, [&](const Packet& packet, TimePs) {
    const u64 hash = mix64(identity_of(packet) + p);
    if (is_before(p, before.end)) still += hash;
    if (!is_before(p, at.head) && is_before(p, now.end)) now.sum += hash;
    ++p;
  });
  const bool same = still == before.sum;
  before = now;
  return same ? nullptr : "a packet has left its place in a FIFO";
}

std::string QueueLedger::check(const Reading& r) {
  const u32 classes = r.v.settings.classes;
  for (u32 link = 0; link < r.v.links; ++link) {
    const bool at_switch = r.is_switch(r.v.link_node[link]);
    for (u32 c = 0; c < classes; ++c) {
      const u32 q = link * classes + c;
      const char* broken = check_positions(r.before[q], r.now[q], r.v.queue[q].ring.entries());
      if (broken == nullptr) broken = check_order(r, q, c);
      if (broken == nullptr) broken = check_places(r, q);
      if (broken != nullptr) return r.at_port(link, broken);
      const std::string problem = at_switch ? check_bytes(r, link, q, c) : "";
      if (!problem.empty()) return r.at_port(link, problem);
    }
  }
  return {};
}

}  // namespace heddle
