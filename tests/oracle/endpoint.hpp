// An endpoint: a NIC with the QPs that start or end here, and its GPU.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/oracle/gpu.hpp"
#include "tests/oracle/ingress_buffers.hpp"
#include "tests/oracle/receiving_end.hpp"
#include "tests/oracle/sending_end.hpp"
#include "tests/oracle/simulation.hpp"
#include "tests/oracle/transmitter.hpp"

namespace heddle::oracle {

class Endpoint : public NodeModel, private Nic {
 public:
  Endpoint(Simulation& sim, NodeId node);
  void instant(TimePs t) override;
  bool busy() const override;
  Gpu& gpu() { return gpu_; }

 private:
  u32 class_of_ctss(QpId qp) const;
  // Requests of the GPU to its NIC.
  void send_slice_part(QpId qp, u64 bytes, u64 slice, TimePs t) override;
  Packet send_cts(QpId qp, const Cts& cts, TimePs t) override;
  void answer_cts(const Packet& cts, PacketKind kind, u64 number) override;

  struct Held {  // in the receive buffer of a slow NIC
    Arrival arrival;
    TimePs done_ps = 0;
  };

  void post_messages();
  void post(MessageId m, TimePs t);
  void post_waiting(MessageId m, TimePs t);
  void message_done(MessageId m, bool received, TimePs t);
  bool take_batches(TimePs t);
  void end_batches(TimePs t);
  bool has_ended(const Batch& batch) const;
  void change_link(TimePs t);
  bool apply_pauses(TimePs t);
  void sample(TimePs t);
  bool drain(TimePs t);
  bool take_arrivals(TimePs t);
  bool hold(const Arrival& arrival, TimePs t);
  bool check_timeouts(TimePs t);
  bool send_delayed_acks(TimePs t);
  void process(const Packet& packet, TimePs t);
  void process_data(const Packet& packet, TimePs t);
  void receive(const Packet& packet, TimePs t);
  void report_window(QpId qp, u64 before, TimePs t);
  void process_acknowledgement(const Packet& packet, TimePs t);
  /// Whether the class of the QP has TCP.
  bool is_tcp(const Qp& qp) const;
  void answer(const Packet& data, const ReceivingEnd::Answer& what);
  void queue_answer(Packet packet);
  /// A control packet that goes back the way of `packet`.
  Packet reply(const Packet& packet, PacketKind kind, u64 psn, u32 wire_bytes) const;
  void queue(const Packet& packet);
  std::vector<u32> ports_in_service(const Qp& qp, TimePs t) const;
  bool sends_by(const Qp& qp, u32 port, TimePs t) const;
  std::optional<QpId> served_qp(u32 port, u32 cls, TimePs t) const;
  void start(u32 port, TimePs t);
  void start_data(u32 port, QpId qp, TimePs t);
  void plan_wakes(TimePs t);

  Simulation& sim_;
  NodeId node_;
  /// What a port of the NIC may send.
  struct Port {
    std::array<std::deque<Packet>, kMaxClasses> control;  // by class, in order of creation
    std::size_t last_served = 0;                          // index in senders_
  };
  std::vector<Transmitter> transmitters_;  // by port; none for an endpoint without a network
  std::vector<Port> ports_;
  QpId first_qp_ = 0;  // senders_[i] is QP first_qp_ + i
  std::vector<std::unique_ptr<SendingEnd>> senders_;
  std::map<QpId, std::unique_ptr<ReceivingEnd>> receivers_;
  std::map<QpId, Packet> last_data_;                    // that came for the QPs that end here
  std::map<QpId, MessageId> first_message_of_;          // first messages of the QPs that end here
  std::map<MessageId, u32> done_for_;                   // waiting message -> its awaited messages that are done
  std::set<std::pair<MessageId, bool>> messages_done_;  // acknowledged (false) or received (true) here
  std::vector<BatchNotice> batches_;                    // taken as a helper, and not yet ended
  u32 drain_ps_per_byte_q16_ = 0;                       // 0: not a slow receiver
  std::deque<Held> held_;
  TimePs drain_free_ps_ = 0;
  IngressBuffers buffers_;
  TimePs sampled_ps_ = -1, changed_ps_ = -1;
  Gpu gpu_;
};

}  // namespace heddle::oracle
