// The flowlet table of an ingress queue, of finite size as in a chip, so flows may share an entry.
#pragma once

#include "kernels/routing/hash.hpp"

namespace heddle {

/// The parameters of policies with flowlet tables.
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

/// The words of one ingress queue, two per entry. Flows that share an entry are routed as one flow.
class FlowletTable {
 public:
  static constexpr u32 words(u32 entries) { return 2 * entries; }

  /// Looks up the packet's flow, which includes its destination QP.
  HEDDLE_FN FlowletTable(const RouteContext& at, u64* words, u32 entries, TimePs gap_ps) : at_(at) {
    const u64 h = ideal_flow_hash(at, true);
    entry_ =
        words + 2 * u64{at.plain_hash ? index_of(static_cast<u32>(h >> 32), entries) : flow_index(at, true, entries)};
    flow_ = static_cast<u32>(h) & kFlowMask;
    const bool used = entry_[0] != 0;
    fresh_ = !used || at.t - last_ps() >= gap_ps;
    same_flow_ = used && entry_[1] >> kFlowShift == flow_;
  }

  /// Whether a flowlet begins with this packet: then call note() with the new choice.
  HEDDLE_FN bool fresh() const { return fresh_; }
  /// The choice noted for the flowlet that continues.
  HEDDLE_FN u32 choice() const { return static_cast<u32>(entry_[1]); }

  /// Stores the choice for the next packets; this packet leaves by egress `port`.
  HEDDLE_FN void note(u32 choice, u32 port) {
    const u32 before = static_cast<u32>(entry_[1] >> 32) & kPortMask;
    entry_[0] = static_cast<u64>(at_.t) + 1;  // 0: never used
    entry_[1] = u64{flow_} << kFlowShift | u64{port} << 32 | choice;
    if (same_flow_ && port != before) at_.count(at_.tally.path_changes);
    if (at_.next_hops().count == 1) return;
    if (fresh_) at_.count(at_.tally.flowlets);
    if (!fresh_ && !same_flow_) at_.count(at_.tally.flowlet_collisions);
  }

 private:
  // The second word of an entry: flow 20 | port 12 | choice 32.
  static constexpr u32 kFlowShift = 44, kFlowMask = 0xfffff, kPortMask = kMaxPorts - 1;

  HEDDLE_FN TimePs last_ps() const { return static_cast<TimePs>(entry_[0] - 1); }

  const RouteContext& at_;
  u64* entry_;
  u32 flow_;
  bool fresh_, same_flow_;  // same_flow_: the entry's last packet was of this flow, too
};

}  // namespace heddle
