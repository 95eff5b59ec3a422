// The flowlet table of an ingress queue, as a chip has it: of finite size, so flows may share an entry.
#pragma once

#include "kernels/routing/hash.hpp"

namespace heddle {

/// The settings of policies that keep such tables.
inline constexpr PolicyParameter kFlowletGap = {
    .key = "gap",
    .quantity = Quantity::time_ps,
    .value = 256'000'000,
    .min = 1,
    .max = 1e15,
    .help = "flowlets: a flow without packets for so long may change its way",
    .source = "Meta SIGCOMM'24: 256 to 512 us at 200G"};
inline constexpr PolicyParameter kFlowletEntries = {
    .key = "entries",
    .value = 256,
    .min = 1,
    .max = 65536,
    .help = "flowlets: flows that an ingress port of a switch can tell apart, per class",
    .source = "judgement; Broadcom's DLB has 32K flow sets a chip"};

/// The words of one ingress queue, two per entry. Flows that meet in an entry look like one flow.
class FlowletTable {
 public:
  static constexpr u32 words(u32 entries) { return 2 * entries; }

  /// Looks the packet's flow up. Its destination QP tells flows apart, too.
  HEDDLE_FN FlowletTable(const RouteSite& at, u64* words, u32 entries, TimePs gap_ps) : t_(at.t) {
    const u64 h = absorb(five_tuple_hash(at.v, at.node, at.packet), at.packet.dst_qp());
    entry_ = words + 2 * u64{index_of_hash(h, entries)};
    const bool used = entry_[0] != 0;
    fresh_ = !used || t_ - last_ps() >= gap_ps;
  }

  /// A flowlet begins with this packet: note() what is chosen for it.
  HEDDLE_FN bool fresh() const { return fresh_; }
  /// What was noted for the flowlet that goes on.
  HEDDLE_FN u32 choice() const { return static_cast<u32>(entry_[1]); }

  HEDDLE_FN void note(u32 choice) {
    entry_[0] = static_cast<u64>(t_) + 1;  // 0: never used
    entry_[1] = choice;
  }

 private:
  HEDDLE_FN TimePs last_ps() const { return static_cast<TimePs>(entry_[0] - 1); }

  u64* entry_;
  TimePs t_;
  bool fresh_;
};

}  // namespace heddle
