// An output-queued switch: one FIFO per (egress port, class), store and forward.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "tests/oracle/ingress_buffers.hpp"
#include "tests/oracle/routing/policies.hpp"
#include "tests/oracle/simulation.hpp"
#include "tests/oracle/transmitter.hpp"

namespace heddle::oracle {

class SwitchNode : public NodeModel {
 public:
  SwitchNode(Simulation& sim, NodeId node);
  void instant(TimePs t) override;
  bool busy() const override;

 private:
  /// What waits bears the class in which it came, in which it is charged; it leaves in the class of its queue.
  struct Queue {
    std::deque<Arrival> packets;
    u64 bytes = 0;         // bytes that `packets` occupy
    bool tripped = false;  // the watchdog keeps it empty until its pause ends
  };

  bool has_a_way(const Arrival& arrival, TimePs t) const;
  u32 route(const Arrival& arrival, TimePs t);
  void sample_queues(TimePs t);
  void change_links(TimePs t);
  void empty_queue(u32 port, u32 cls, DropCause cause, TimePs t);
  void apply_pauses(TimePs t);
  void accept_arrivals(TimePs t);
  void accept(Arrival arrival, TimePs t);
  void watch_pauses(TimePs t);
  bool waits_paused() const;
  bool drop(TimePs t, const Packet& packet, u32 cls, DropCause cause, u32 port);
  bool drop_at_egress(TimePs t, const Packet& packet, u32 cls, DropCause cause, u32 port);
  u64 queued_bytes(u32 port) const;
  LinkId ingress_of(u32 port) const;
  bool refuse(const Arrival& arrival, u32 port, u32 cls, TimePs t);
  void start(u32 port, TimePs t);
  void maybe_mark(Packet& packet, u32 port, u32 cls, u64 queue_bytes, TimePs t);

  Simulation& sim_;
  NodeId node_;
  std::vector<Transmitter> ports_;
  std::vector<std::array<Queue, kMaxClasses>> queues_;  // [port][class]
  std::unique_ptr<Policy> policy_;
  TimePs sampled_epoch_ = -1;
  std::vector<u64> sampled_bytes_;  // [port] bytes held at the start of that epoch
  IngressBuffers buffers_;
};

}  // namespace heddle::oracle
