// The GPU of an endpoint: collectives as channel ends that copy slice after slice, admitted by the receiver
// (MODEL.md, 9).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/oracle/cts.hpp"
#include "tests/oracle/program.hpp"
#include "tests/oracle/simulation.hpp"
#include "tests/oracle/slices.hpp"

namespace heddle::oracle {

/// The services of the NIC that the GPU uses.
class Nic {
 public:
  virtual ~Nic() = default;
  /// Sends a part of a slice, from `t` on, as the next message of the QP.
  virtual void send_slice_part(QpId qp, u64 bytes, u64 slice, TimePs t) = 0;
  /// Creates a CTS packet to the sender of `qp`.
  virtual Packet send_cts(QpId qp, const Cts& cts, TimePs t) = 0;
  /// Creates the answer to a CTS, to the receiver of `qp`.
  virtual void answer_cts(const Packet& cts, PacketKind kind, u64 number) = 0;
};

class Gpu {
 public:
  Gpu(Simulation& sim, EndpointId self, Nic& nic);
  /// Builds the state of this GPU's jobs and wakes it when the first collectives begin.
  void prepare();

  // The stages of an instant; each returns whether it found something due.
  bool proxy_stage(TimePs t);
  bool nvlink_arrival_stage(TimePs t);
  bool nvlink_done_stage(TimePs t);
  bool copy_stage(TimePs t);
  bool post_stage(TimePs t);
  bool collective_stage(TimePs t);

  // Notifications from the transport.
  void cts_arrived(const Packet& cts, TimePs t);
  void cts_answered(const Packet& answer, TimePs t);
  /// The earliest retransmission timeout of a CTS.
  TimePs cts_deadline() const;
  bool check_cts_timeouts(TimePs t);
  void slice_part_received(u32 connection, u64 slice, TimePs t);
  void slice_part_acked(u32 connection, u64 slice, TimePs t);

 private:
  struct SendStream {
    u64 filled = 0;                               // slices copied into send slots
    u64 posted = 0;                               // filled slices that the proxy has seen (over the network)
    u64 granted = 0;                              // by CTS, or by NVLink credit: all slices below it
    std::set<u64> early;                          // slices beyond `granted` whose CTSs were taken
    std::map<u32, u64> credited;                  // for a multicast: slices admitted by each receiver's connection
    u64 sent = 0;                                 // handed to QPs
    std::map<u64, TimePs> posted_ps, granted_ps;  // by slice
    std::map<u64, u32> parts_unacked;
    std::set<u64> in_slots;  // filled, and not yet known to be acknowledged in full
  };
  struct RecvStream {
    u64 granted = 0, freed = 0;
    std::map<u64, u32> parts_received;
    std::map<u64, std::set<EndpointId>> at_switch;  // for a slice that the switch reduces: the GPUs it has arrived from
    std::set<u64> in;                               // arrived and known, not yet freed
  };
  struct ChannelEndState {
    u32 channel_end = 0, group = 0;
    bool active = false, copying = false;
    u64 done = 0;  // operations of this collective whose copy is done
  };
  struct Rank {  // this GPU's part in a job
    u32 job = 0, index = 0;
    std::size_t position = 0;  // in Job::collectives
    bool entered = false;
    Turns* turns = nullptr;  // part of the GPU's program, if that drives or composes the job
    TimePs launch_ps = 0;    // launch of the collective that it has entered
    std::vector<ChannelEndState> channel_ends;
  };
  struct ProxyItem {
    enum class What { send_cts, ack_notice, posted } what;
    u32 connection;
    u64 slice;
  };
  struct Slice {
    u32 connection;
    u64 slice, bytes;
  };
  struct CopyJob {
    Rank* rank;
    ChannelEndState* channel_end;
  };
  struct NvlinkHead {
    EndpointId source;
    u32 connection;
    u64 slice, bytes;
  };
  struct NvlinkCredit {
    u32 connection;
    u64 granted;
  };

  const CollectivePlan& plan() const { return sim_.world.collectives; }
  u32 collective_of(const Rank& rank) const { return plan().jobs[rank.job].collectives[rank.position]; }
  const Collective& now(const Rank& rank) const { return plan().collectives[collective_of(rank)]; }
  bool takes_part(const Rank& rank, const ChannelEndState& channel_end) const;
  u64 base_of(const Rank& rank, u32 connection) const {
    return first_slice_of(plan(), rank.job, rank.position, connection);
  }
  u64 operations_of(const Rank& rank, const ChannelEndState& channel_end) const;
  std::vector<u32> joined_with(u32 connection) const;
  u32 nvlink_speed(u32 connection) const;
  bool advance(Rank& rank, TimePs t);
  void prepare_program(const ProgramRun& run);
  bool start_copies(Rank& rank, TimePs t);
  void enter(Rank& rank, TimePs t);
  bool activate(Rank& rank, TimePs t);
  bool finished(const Rank& rank) const;
  bool can_start(const Rank& rank, const ChannelEndState& channel_end) const;
  void start_copy(Rank& rank, ChannelEndState& channel_end, TimePs t);
  void finish_copy(Rank& rank, ChannelEndState& channel_end, TimePs t);
  void relay(Rank& rank, ChannelEndState& channel_end, TimePs t);
  void free_relayed(u32 connection, TimePs t);
  bool may_send(const Rank& rank, u32 connection, u64 slice) const;
  void grant(const Rank& rank, u32 connection, TimePs t);
  void fill(const Rank& rank, u32 connection, u64 slice, u64 bytes, TimePs t);
  TimePs waited_for_cts(const SendStream& stream) const;
  void send_granted(u32 connection, TimePs t);
  void send_again(QpId qp, const std::vector<Cts>& all, TimePs t);
  std::vector<SlicePart> parts_of(u32 connection, u64 slice) const;
  void transfer(u32 connection, u64 slice, u64 bytes, TimePs t);
  void proxy(ProxyItem::What what, u32 connection, u64 slice, TimePs t);
  Gpu& gpu_of(EndpointId endpoint);

  Simulation& sim_;
  EndpointId self_;
  Nic& nic_;
  std::vector<Rank> ranks_;  // in order of jobs
  std::optional<ProgramModel> program_;
  std::map<u32, SendStream> send_;
  std::map<u32, RecvStream> recv_;
  std::map<QpId, CtsReceiver> cts_receivers_;  // of QPs that start here
  std::map<QpId, CtsSender> cts_senders_;      // of QPs that end here
  Due<ProxyItem> proxy_;
  Due<Slice> posts_[kPosts], flushes_;
  Due<CopyJob> copies_;
  TimePs copy_free_ps_ = 0, proxy_free_ps_ = 0, nvlink_egress_free_ps_ = 0, nvlink_ingress_free_ps_ = 0;
  Due<NvlinkCredit> nvlink_credits_;
  Due<NvlinkHead> nvlink_heads_, nvlink_done_;
};

}  // namespace heddle::oracle
