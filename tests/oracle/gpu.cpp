#include "tests/oracle/gpu.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"
#include "tests/oracle/endpoint.hpp"

namespace heddle::oracle {
namespace {

/// What an operation moves inside the server, also for an empty slice (MODEL.md, 9.6).
u64 at_least_a_vector(u64 bytes) { return std::max<u64>(bytes, 16); }

}  // namespace

Gpu::Gpu(Simulation& sim, EndpointId self, Nic& nic) : sim_(sim), self_(self), nic_(nic) {}

void Gpu::prepare() {
  for (u32 j = 0; j < plan().jobs.size(); ++j) {
    const Job& job = plan().jobs[j];
    auto me = std::find(job.ranks.begin(), job.ranks.end(), self_);
    if (me == job.ranks.end()) continue;
    Rank rank;
    rank.job = j;
    rank.index = static_cast<u32>(me - job.ranks.begin());
    for (u32 l = job.first_lane; l < job.first_lane + job.lanes; ++l) {
      if (plan().lanes[l].gpu != self_) continue;
      LaneState lane;
      lane.lane = l;
      rank.lanes.push_back(lane);
    }
    ranks_.push_back(rank);
  }
  for (u32 c = 0; c < plan().connections.size(); ++c) {
    if (plan().connections[c].src == self_) send_[c];
    if (plan().connections[c].dst == self_) recv_[c];
  }
  if (!ranks_.empty()) sim_.wake(self_, 0);
}

// ---- Collectives: entering, activation, operations.

bool Gpu::collective_stage(TimePs t) {
  bool any = false;
  for (bool changed = true; changed; any |= changed) {
    changed = false;
    for (Rank& rank : ranks_) changed |= advance(rank, t);
  }
  return any;
}

bool Gpu::advance(Rank& rank, TimePs t) {
  bool changed = false;
  if (rank.entered && finished(rank)) {
    sim_.recorder.rank_finished(t, self_, collective_of(rank), rank.index);
    rank.entered = false;
    ++rank.position;
    changed = true;
  }
  if (rank.position == plan().jobs[rank.job].collectives.size()) return changed;
  if (!rank.entered) {
    TimePs start = plan().collectives[collective_of(rank)].start_ps;
    if (start > t) {
      sim_.wake(self_, start);
      return changed;
    }
    enter(rank, t);
    changed = true;
  }
  changed |= activate(rank, t);
  for (LaneState& lane : rank.lanes) {
    if (!can_start(rank, lane)) continue;
    start_copy(rank, lane, t);
    changed = true;
  }
  return changed;
}

void Gpu::enter(Rank& rank, TimePs t) {
  rank.entered = true;
  for (LaneState& lane : rank.lanes) lane.active = lane.copying = false, lane.done = 0;
  sim_.recorder.rank_entered(t, self_, collective_of(rank), rank.index);
}

/// Ring lanes are active at once. Of the point-to-point lanes, the first (finished + window) of each direction are.
bool Gpu::activate(Rank& rank, TimePs t) {
  const Collective& collective = plan().collectives[collective_of(rank)];
  u64 total = operations(collective, plan().laws[collective.law]);
  u32 window = plan().jobs[rank.job].p2p_window;
  bool changed = false;
  u32 finished_lanes[2] = {0, 0};  // of receiving, of sending lanes
  auto sends = [&](const LaneState& l) { return plan().lanes[l.lane].send != kNone; };
  for (const LaneState& lane : rank.lanes) finished_lanes[sends(lane)] += lane.done == total;
  u32 seen[2] = {0, 0};
  for (LaneState& lane : rank.lanes) {
    bool in_window = seen[sends(lane)]++ < finished_lanes[sends(lane)] + window;
    bool limited = collective.phases == 1 && window > 0;
    if (lane.active || (limited && !in_window)) continue;
    lane.active = changed = true;
    grant(rank, lane, t);
  }
  return changed;
}

bool Gpu::finished(const Rank& rank) const {
  const Collective& collective = plan().collectives[collective_of(rank)];
  u64 total = operations(collective, plan().laws[collective.law]);
  for (const LaneState& lane : rank.lanes) {
    if (lane.done < total) return false;
    u32 send = plan().lanes[lane.lane].send;
    if (send != kNone && !send_.at(send).in_slots.empty()) return false;
  }
  return true;
}

bool Gpu::can_start(const Rank& rank, const LaneState& state) const {
  const Collective& collective = plan().collectives[collective_of(rank)];
  const Lane& lane = plan().lanes[state.lane];
  if (!state.active || state.copying || state.done == operations(collective, plan().laws[collective.law])) return false;
  Operation op = operation(plan(), collective, lane, state.done);
  if (op.receives && recv_.at(lane.recv).in.count(base_of(rank) + op.recv_index) == 0) return false;
  if (!op.sends) return true;
  u64 slice = base_of(rank) + op.send_index;
  u64 slots = plan().jobs[rank.job].slots;
  const SendStream& stream = send_.at(lane.send);
  if (plan().connections[lane.send].nvlink) return stream.granted > slice;
  return slice < slots || stream.in_slots.count(slice - slots) == 0;
}

void Gpu::start_copy(Rank& rank, LaneState& state, TimePs t) {
  const Collective& collective = plan().collectives[collective_of(rank)];
  Operation op = operation(plan(), collective, plan().lanes[state.lane], state.done);
  u64 bytes = slice_bytes(plan().laws[collective.law], op.sends ? op.send_index : op.recv_index);
  state.copying = true;
  copy_free_ps_ = std::max(copy_free_ps_, t) + ser_ps(at_least_a_vector(bytes), plan().settings.copy_ps_per_byte_q16);
  copies_.push_back({copy_free_ps_, &rank, &state});
  sim_.wake(self_, copy_free_ps_);
}

bool Gpu::copy_stage(TimePs t) {
  bool any = false;
  for (; !copies_.empty() && copies_.front().done_ps <= t; any = true) {
    CopyJob job = copies_.front();
    copies_.pop_front();
    finish_copy(*job.rank, *job.lane, t);
  }
  return any;
}

void Gpu::finish_copy(Rank& rank, LaneState& state, TimePs t) {
  const Collective& collective = plan().collectives[collective_of(rank)];
  const Lane& lane = plan().lanes[state.lane];
  Operation op = operation(plan(), collective, lane, state.done);
  if (op.receives) {
    recv_.at(lane.recv).in.erase(base_of(rank) + op.recv_index);
    ++recv_.at(lane.recv).freed;
    grant(rank, state, t);
  }
  if (op.sends) {
    u64 slice = base_of(rank) + op.send_index;
    SendStream& stream = send_.at(lane.send);
    ++stream.filled;
    if (plan().connections[lane.send].nvlink) {
      transfer(lane.send, slice, at_least_a_vector(slice_bytes(plan().laws[collective.law], op.send_index)), t);
    } else {
      stream.in_slots.insert(slice);
      TimePs seen = t + plan().settings.post_latency_ps + sim_.world.roce.proxy_latency_ps;
      posts_.put(seen, {lane.send, slice});
      sim_.wake(self_, seen);
    }
  }
  state.copying = false;
  ++state.done;
}

// ---- Admission: grants by the receiver, sending what is granted, notices of the proxy.

/// Grants slices of the lane's receive stream up to the free slots, not beyond this collective.
void Gpu::grant(const Rank& rank, const LaneState& state, TimePs t) {
  u32 connection = plan().lanes[state.lane].recv;
  if (connection == kNone) return;
  const Connection& c = plan().connections[connection];
  RecvStream& stream = recv_.at(connection);
  u64 end = base_of(rank) + plan().laws[plan().collectives[collective_of(rank)].law].total;
  u64 limit = std::min(end, stream.freed + plan().jobs[rank.job].slots);
  for (; stream.granted < limit; ++stream.granted) {
    if (!c.nvlink) {
      proxy(ProxyItem::What::send_cts, connection, stream.granted, t);
      continue;
    }
    TimePs effect = t + plan().settings.nvlink_latency_ps;
    gpu_of(c.src).nvlink_credits_.put(effect, {connection, stream.granted + 1});
    sim_.wake(c.src, effect);
  }
}

void Gpu::cts_arrived(const Packet& cts, TimePs t) {
  u32 connection = sim_.world.traffic.qps[cts.qp].connection;
  SendStream& stream = send_.at(connection);
  bool selective = sim_.world.roce.recovery == Recovery::selective_repeat;
  CtsReceiver::Reaction reaction = cts_receivers_[cts.qp].on_cts(cts.psn, selective);
  if (reaction.taken) stream.early.insert(cts.message);
  while (stream.early.erase(stream.granted) > 0) ++stream.granted;
  if (reaction.answer) nic_.answer_cts(cts.qp, *reaction.answer, reaction.expected);
  send_granted(connection, t);
}

void Gpu::cts_answered(const Packet& answer, TimePs t) {
  send_again(answer.qp, cts_senders_.at(answer.qp).answered(answer.psn, answer.kind == PacketKind::cts_nak, t), t);
}

void Gpu::send_again(QpId qp, const std::vector<Cts>& all, TimePs t) {
  for (const Cts& cts : all) sim_.recorder.event(EventKind::retransmit, t, self_, 0, 0, nic_.send_cts(qp, cts).id());
}

TimePs Gpu::cts_deadline() const {
  TimePs deadline = kNever;
  for (const auto& [qp, sender] : cts_senders_) deadline = std::min(deadline, sender.deadline());
  return deadline;
}

bool Gpu::check_cts_timeouts(TimePs t) {
  std::map<u32, QpId> due;  // by receiver number
  for (const auto& [qp, sender] : cts_senders_) {
    if (sender.deadline() <= t) due[sim_.world.traffic.qps[qp].receiver_number] = qp;
  }
  for (const auto& [number, qp] : due) {
    auto all = cts_senders_.at(qp).time_out(t);
    if (!all) {
      sim_.fail(t, "the CTSs of QP " + std::to_string(number) + " of endpoint " + std::to_string(self_) +
                       " got no acknowledgement after " + std::to_string(sim_.world.roce.rto_tries) + " timeouts");
      continue;
    }
    sim_.recorder.event(EventKind::timeout, t, self_, 0, 0, 65536 + number);
    send_again(qp, *all, t);
  }
  return !due.empty();
}

/// Hands every slice that the proxy has seen and that is granted to its QPs.
void Gpu::send_granted(u32 connection, TimePs t) {
  const Connection& c = plan().connections[connection];
  u32 job = job_of(plan(), connection);
  SendStream& stream = send_.at(connection);
  for (; stream.sent < std::min(stream.posted, stream.granted); ++stream.sent) {
    u64 bytes = bytes_of_slice(plan(), job, stream.sent);
    auto parts = parts_of_slice(plan().jobs[job].scaling, c.qps, stream.sent, bytes);
    stream.parts_unacked[stream.sent] = static_cast<u32>(parts.size());
    for (const SlicePart& part : parts) nic_.send_slice_part(c.first_qp + part.qp, part.bytes, stream.sent, t);
  }
}

void Gpu::slice_part_acked(u32 connection, u64 slice, TimePs t) {
  SendStream& stream = send_.at(connection);
  if (--stream.parts_unacked.at(slice) > 0) return;
  stream.parts_unacked.erase(slice);
  proxy(ProxyItem::What::ack_notice, connection, slice, t);
}

void Gpu::slice_part_received(u32 connection, u64 slice, TimePs t) {
  const Connection& c = plan().connections[connection];
  u32 job = job_of(plan(), connection);
  RecvStream& stream = recv_.at(connection);
  u64 bytes = bytes_of_slice(plan(), job, slice);
  u64 parts = parts_of_slice(plan().jobs[job].scaling, c.qps, slice, bytes).size();
  if (++stream.parts_received[slice] < parts) return;
  stream.parts_received.erase(slice);
  TimePs readable = t + sim_.world.roce.proxy_latency_ps + plan().settings.flush_latency_ps;
  flushes_.put(readable, {connection, slice});
  sim_.wake(self_, readable);
}

/// The host's proxy thread sees everything one polling latency later.
void Gpu::proxy(ProxyItem::What what, u32 connection, u64 slice, TimePs t) {
  TimePs due = t + sim_.world.roce.proxy_latency_ps;
  proxy_.push_back({what, due, connection, slice});
  sim_.wake(self_, due);
}

bool Gpu::proxy_stage(TimePs t) {
  bool any = false;
  for (; !proxy_.empty() && proxy_.front().due_ps <= t; any = true) {
    ProxyItem item = proxy_.front();
    proxy_.pop_front();
    const Connection& c = plan().connections[item.connection];
    switch (item.what) {
      case ProxyItem::What::ack_notice:
        send_.at(item.connection).in_slots.erase(item.slice);
        break;
      case ProxyItem::What::send_cts: {
        u32 job = job_of(plan(), item.connection);
        u64 bytes = bytes_of_slice(plan(), job, item.slice);
        QpId qp = c.first_qp + parts_of_slice(plan().jobs[job].scaling, c.qps, item.slice, bytes).front().qp;
        auto cts = cts_senders_.try_emplace(qp, sim_.world.roce).first->second.create(item.slice, t);
        if (cts) nic_.send_cts(qp, *cts);
        break;
      }
    }
  }
  for (const Slice& slice : flushes_.take(t)) {
    recv_.at(slice.connection).in.insert(slice.slice);
    any = true;
  }
  for (const Slice& slice : posts_.take(t)) {
    ++send_.at(slice.connection).posted;
    send_granted(slice.connection, t);
    any = true;
  }
  return any;
}

// ---- NVLink: whole slices, first come first served at both ends.

void Gpu::transfer(u32 connection, u64 slice, u64 bytes, TimePs t) {
  const CollectiveSettings& settings = plan().settings;
  EndpointId dst = plan().connections[connection].dst;
  TimePs start = std::max(nvlink_egress_free_ps_, t);
  nvlink_egress_free_ps_ = start + ser_ps(bytes, settings.nvlink_ps_per_byte_q16);
  TimePs head = start + settings.post_latency_ps + settings.nvlink_latency_ps;
  gpu_of(dst).nvlink_heads_.put(head, {self_, connection, slice, bytes});
  sim_.wake(dst, head);
}

bool Gpu::nvlink_arrival_stage(TimePs t) {
  auto credits = nvlink_credits_.take(t);
  for (const NvlinkCredit& credit : credits) {
    u64& granted = send_.at(credit.connection).granted;
    granted = std::max(granted, credit.granted);
  }
  auto heads = nvlink_heads_.take(t);
  std::stable_sort(heads.begin(), heads.end(),
                   [](const NvlinkHead& a, const NvlinkHead& b) { return a.source < b.source; });
  for (const NvlinkHead& head : heads) {
    nvlink_ingress_free_ps_ =
        std::max(nvlink_ingress_free_ps_, t) + ser_ps(head.bytes, plan().settings.nvlink_ps_per_byte_q16);
    nvlink_done_.put(nvlink_ingress_free_ps_, head);
    sim_.wake(self_, nvlink_ingress_free_ps_);
  }
  return !credits.empty() || !heads.empty();
}

bool Gpu::nvlink_done_stage(TimePs t) {
  auto done = nvlink_done_.take(t);
  for (const NvlinkHead& slice : done) recv_.at(slice.connection).in.insert(slice.slice);
  return !done.empty();
}

Gpu& Gpu::gpu_of(EndpointId endpoint) { return static_cast<Endpoint&>(*sim_.nodes[endpoint]).gpu(); }

}  // namespace heddle::oracle
