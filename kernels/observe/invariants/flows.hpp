// Invariants of flows, from end to end: every packet that was sent arrived, is in flight, or was dropped and counted.
#pragma once

#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Follows both directions of every queue pair: data and answers to CTSs towards its receiver; ACK, NAK, CNP and CTS
/// towards its sender.
class FlowLedger {
 public:
  explicit FlowLedger(const Model& model);
  /// Reports the first packet with an unknown address or a PSN outside its queue pair's window; the first flow whose
  /// packets sent are not those arrived + lost + in flight, or whose receiver expects a PSN that contradicts its
  /// arrivals; or losses that counted drops do not explain: in lossless classes headroom overruns, pool overflows and
  /// watchdog drops (and drops by a limit of such a class).
  std::string check(const Reading& r);

 private:
  /// Packets of one kind since the run began.
  struct Count {
    u64 sent = 0, arrived = 0, in_flight = 0, lost = 0;
  };
  /// One queue pair.
  struct Flow {
    u32 endpoint = 0, sender = 0;  // local source, and the index of its sender
    u32 destination = 0;           // local destination
    u32 traffic_class = 1, answer_class = 0, cts_class = 0;
    u32 una = 0, sent_end = 0, expected = 0;  // before this tick; sent end and expected are replayed
    u64 in_order = 0;                         // packets received in order since the run began
    bool tcp = false;
    std::unordered_set<u32> placed;  // selective repeat, TCP: replayed PSNs beyond the expected one
    Count data, answers, ctss, cts_answers;
    std::array<Count*, 4> counts() { return {&data, &answers, &ctss, &cts_answers}; }
    Count& count_of(const Packet& packet);
  };

  void add_flow(u32 i, u32 to, const ReceiverPlan& plan);
  u32 flow_of(const Packet& packet) const;
  std::string count_sent(const Reading& r, u32 e);
  static void replay(const Reading& r, Flow& flow, i32 ahead);
  std::string count_arrived(const Reading& r, u32 e);
  std::string count_in_flight(const Reading& r, u32 link);
  std::string check_windows(const Reading& r, Flow& flow, u32 receiver, u64* delivered);
  std::string check_losses(const Reading& r, const std::vector<u64>& lost);
  std::string at_flow(const Reading& r, const Flow& flow, const std::string& what) const;

  const Model& model_;
  std::vector<Flow> flow_;               // [queue pairs] by the index of the receiving end
  std::vector<u32> receiver_of_sender_;  // [queue pairs]
  std::vector<u32> drops_;               // [links] before this tick
  Tally tally_;                          // before this tick
};

}  // namespace heddle
