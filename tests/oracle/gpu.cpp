#include "tests/oracle/gpu.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"
#include "tests/oracle/endpoint.hpp"

namespace heddle::oracle {
namespace {

constexpr u64 kEverySlice = ~u64{0};

/// Bytes that an operation moves inside the server, also for an empty slice (MODEL.md, 9.6).
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
    for (u32 g = 0; g < job.groups.size(); ++g) {
      for (u32 l = job.groups[g].first_channel_end; l < job.groups[g].first_channel_end + job.groups[g].channel_ends;
           ++l) {
        if (plan().channel_ends[l].gpu != self_) continue;
        ChannelEndState channel_end;
        channel_end.channel_end = l;
        channel_end.group = g;
        rank.channel_ends.push_back(channel_end);
      }
    }
    ranks_.push_back(rank);
  }
  for (u32 c = 0; c < plan().connections.size(); ++c) {
    if (plan().connections[c].src == self_) send_[c];
    if (plan().connections[c].dst == self_) recv_[c];
  }
  if (!ranks_.empty()) sim_.wake(self_, 0);
  for (const ProgramRun& run : sim_.world.programs.runs) {
    if (run.gpu == self_) prepare_program(run);
  }
}

/// The program's turns belong, in order of jobs, to the communicators that it drives or that have composed collectives.
void Gpu::prepare_program(const ProgramRun& run) {
  std::vector<Rank*> named;
  for (Rank& rank : ranks_) {
    if (plan().jobs[rank.job].by_program || plan().jobs[rank.job].composed) named.push_back(&rank);
  }
  program_.emplace(sim_, run, named.size());
  for (std::size_t i = 0; i < named.size(); ++i) named[i]->turns = &program_->turns(i);
}

// ---- Collectives: entering, activation, operations.

bool Gpu::collective_stage(TimePs t) {
  bool any = false;
  for (bool changed = true; changed; any |= changed) {
    changed = false;
    for (Rank& rank : ranks_) changed |= advance(rank, t);
    if (program_) changed |= program_->advance(t);
  }
  for (Rank& rank : ranks_) any |= start_copies(rank, t);
  return any;
}

bool Gpu::advance(Rank& rank, TimePs t) {
  bool changed = false;
  if (rank.entered && t < rank.launch_ps) return false;
  if (rank.entered && finished(rank)) {
    sim_.recorder.rank_finished(t, self_, collective_of(rank), rank.index);
    rank.entered = false;
    ++rank.position;
    if (rank.turns != nullptr) ++rank.turns->finished;
    changed = true;
  }
  if (rank.position == plan().jobs[rank.job].collectives.size()) return changed;
  const bool by_program = plan().jobs[rank.job].by_program;
  if (!rank.entered && by_program && rank.position == rank.turns->allowed) return changed;
  if (!rank.entered) {
    TimePs start = plan().collectives[collective_of(rank)].start_ps;
    if (start > t) {
      sim_.wake(self_, start);
      return changed;
    }
    enter(rank, t);
    changed = true;
    if (t < rank.launch_ps) return changed;
  }
  return activate(rank, t) || changed;
}

/// A started operation is never done at once, so no channel end starts two; but one that relays does all that it can.
bool Gpu::start_copies(Rank& rank, TimePs t) {
  if (!rank.entered) return false;
  bool any = false;
  for (ChannelEndState& channel_end : rank.channel_ends) {
    for (; can_start(rank, channel_end); any = true) {
      if (plan().channel_ends[channel_end.channel_end].relays) {
        relay(rank, channel_end, t);
      } else {
        start_copy(rank, channel_end, t);
      }
    }
  }
  return any;
}

/// One group of channel ends carries out a collective.
bool Gpu::takes_part(const Rank& rank, const ChannelEndState& channel_end) const {
  return channel_end.group == now(rank).group;
}

void Gpu::enter(Rank& rank, TimePs t) {
  rank.entered = true;
  rank.launch_ps = t + now(rank).launch_latency_ps;
  if (now(rank).composed) ++rank.turns->composed_entered;
  sim_.wake(self_, rank.launch_ps);
  for (ChannelEndState& channel_end : rank.channel_ends)
    channel_end.active = channel_end.copying = false, channel_end.done = 0;
  sim_.recorder.rank_entered(t, self_, collective_of(rank), rank.index);
}

u64 Gpu::operations_of(const Rank& rank, const ChannelEndState& channel_end) const {
  const ChannelEnd& end = plan().channel_ends[channel_end.channel_end];
  return operations(now(rank), end, schedule_of_channel_end(plan(), now(rank), end));
}

/// Without a window all channel ends are active at once. With one, the first (finished + window) of each direction are,
/// and all that relay.
bool Gpu::activate(Rank& rank, TimePs t) {
  u32 window = plan().jobs[rank.job].groups[now(rank).group].window;
  bool changed = false;
  u32 finished_channel_ends[2] = {0, 0};  // receiving, sending
  auto sends = [&](const ChannelEndState& l) { return !plan().channel_ends[l.channel_end].send.none(); };
  auto relays = [&](const ChannelEndState& l) { return plan().channel_ends[l.channel_end].relays; };
  for (const ChannelEndState& channel_end : rank.channel_ends) {
    if (relays(channel_end)) continue;
    finished_channel_ends[sends(channel_end)] +=
        takes_part(rank, channel_end) && channel_end.done == operations_of(rank, channel_end);
  }
  u32 seen[2] = {0, 0};
  for (ChannelEndState& channel_end : rank.channel_ends) {
    if (!takes_part(rank, channel_end)) continue;
    bool in_window =
        relays(channel_end) || seen[sends(channel_end)]++ < finished_channel_ends[sends(channel_end)] + window;
    if (channel_end.active || (window > 0 && !in_window)) continue;
    channel_end.active = changed = true;
    for (u32 connection : connections_of(plan().channel_ends[channel_end.channel_end].recv)) grant(rank, connection, t);
  }
  return changed;
}

bool Gpu::finished(const Rank& rank) const {
  if (now(rank).composed) return rank.turns->composed_ended == rank.turns->composed_entered;
  for (const ChannelEndState& channel_end : rank.channel_ends) {
    if (!takes_part(rank, channel_end)) continue;
    if (channel_end.done < operations_of(rank, channel_end)) return false;
    for (u32 connection : connections_of(plan().channel_ends[channel_end.channel_end].send)) {
      if (!send_.at(connection).in_slots.empty()) return false;
    }
  }
  return true;
}

bool Gpu::can_start(const Rank& rank, const ChannelEndState& state) const {
  const ChannelEnd& channel_end = plan().channel_ends[state.channel_end];
  if (!state.active || state.copying || state.done == operations_of(rank, state)) return false;
  Operation op = operation(plan(), now(rank), channel_end, state.done);
  for (u32 connection : connections_of(channel_end.recv)) {
    if (op.receives && recv_.at(connection).in.count(base_of(rank, connection) + op.recv_index) == 0) return false;
  }
  for (u32 connection : connections_of(channel_end.send)) {
    if (op.sends && !may_send(rank, connection, base_of(rank, connection) + op.send_index)) return false;
  }
  return true;
}

/// Whether there is a slot to copy this slice into.
bool Gpu::may_send(const Rank& rank, u32 connection, u64 slice) const {
  const SendStream& stream = send_.at(connection);
  if (plan().connections[connection].nvlink) return stream.granted > slice;
  return slice < now(rank).slots || stream.in_slots.count(slice - now(rank).slots) == 0;
}

void Gpu::start_copy(Rank& rank, ChannelEndState& state, TimePs t) {
  Operation op = operation(plan(), now(rank), plan().channel_ends[state.channel_end], state.done);
  const SliceSchedule& schedule = schedule_of_channel_end(plan(), now(rank), plan().channel_ends[state.channel_end]);
  u64 bytes = slice_bytes(schedule, op.sends ? op.send_index : op.recv_index);
  const CollectiveSettings& settings = plan().settings;
  bool computes = program_ && program_->computes(t);
  state.copying = true;
  copy_free_ps_ =
      std::max(copy_free_ps_, t) + ser_ps(at_least_a_vector(bytes), computes ? settings.copy_computing_ps_per_byte_q16
                                                                             : settings.copy_ps_per_byte_q16);
  TimePs done = std::max(copy_free_ps_, t + ser_ps(at_least_a_vector(bytes), now(rank).channel_ps_per_byte_q16));
  copies_.put(done, {&rank, &state});
  sim_.wake(self_, done);
}

bool Gpu::copy_stage(TimePs t) {
  auto done = copies_.take(t);
  for (const CopyJob& job : done) finish_copy(*job.rank, *job.channel_end, t);
  return !done.empty();
}

void Gpu::finish_copy(Rank& rank, ChannelEndState& state, TimePs t) {
  const ChannelEnd& channel_end = plan().channel_ends[state.channel_end];
  Operation op = operation(plan(), now(rank), channel_end, state.done);
  for (u32 connection : connections_of(channel_end.recv)) {
    if (!op.receives) continue;
    recv_.at(connection).in.erase(base_of(rank, connection) + op.recv_index);
    ++recv_.at(connection).freed;
    grant(rank, connection, t);
  }
  for (u32 connection : connections_of(channel_end.send)) {
    if (!op.sends) continue;
    u64 bytes = slice_bytes(schedule_on(plan(), now(rank), connection), op.send_index);
    fill(rank, connection, base_of(rank, connection) + op.send_index, bytes, t);
  }
  state.copying = false;
  ++state.done;
}

/// PXN: the proxy is told of a slice that another GPU has put here by NVLink.
void Gpu::relay(Rank& rank, ChannelEndState& state, TimePs t) {
  const ChannelEnd& channel_end = plan().channel_ends[state.channel_end];
  u32 from = channel_end.recv.connection[0], to = channel_end.send.connection[0];
  u64 slice = base_of(rank, to) + state.done;
  recv_.at(from).in.erase(slice);
  ++send_.at(to).filled;
  send_.at(to).in_slots.insert(slice);
  proxy(ProxyItem::What::posted, to, slice, t);
  ++state.done;
}

/// The buffer of a relayed slice is free when the slice, and all before it, are known to be acknowledged.
void Gpu::free_relayed(u32 connection, TimePs t) {
  const ChannelEnd& channel_end = plan().channel_ends[plan().connections[connection].send_channel_end];
  if (!channel_end.relays) return;
  u32 from = channel_end.recv.connection[0];
  const SendStream& sent = send_.at(connection);
  for (Rank& rank : ranks_) {
    if (rank.job != place_of(plan(), connection).job) continue;
    recv_.at(from).freed = sent.in_slots.empty() ? sent.filled : *sent.in_slots.begin();
    grant(rank, from, t);
  }
}

/// Called when a slice was copied into its send slot.
void Gpu::fill(const Rank& rank, u32 connection, u64 slice, u64 bytes, TimePs t) {
  u32 protocol = static_cast<u32>(now(rank).protocol);
  ++send_.at(connection).filled;
  if (!plan().connections[connection].nvlink) send_.at(connection).in_slots.insert(slice);
  u32 way = plan().connections[connection].in_switch == InSwitch::nothing ? protocol : kSwitchPost;
  TimePs seen = t + plan().settings.post_latency_ps[way];
  posts_[way].put(seen, {connection, slice, at_least_a_vector(bytes)});
  sim_.wake(self_, seen);
}

/// Makes copied slices visible to others: by protocol, in order of the copies.
bool Gpu::post_stage(TimePs t) {
  bool any = false;
  for (Due<Slice>& posts : posts_) {
    for (const Slice& slice : posts.take(t)) {
      any = true;
      if (plan().connections[slice.connection].nvlink) {
        transfer(slice.connection, slice.slice, slice.bytes, t);
      } else {
        proxy(ProxyItem::What::posted, slice.connection, slice.slice, t);
      }
    }
  }
  return any;
}

// ---- Admission: grants by the receiver, sending what is granted, notices of the proxy.

/// Grants slices of a receive stream up to the free slots, not beyond this collective and the eager ones behind it.
/// Over the network a grant covers as many slices as a CTS admits.
void Gpu::grant(const Rank& rank, u32 connection, TimePs t) {
  const Connection& c = plan().connections[connection];
  RecvStream& stream = recv_.at(connection);
  u64 limit = std::min(end_of_admission(plan(), rank.job, rank.position, connection), stream.freed + now(rank).slots);
  u64 at_once = c.nvlink ? 1 : plan().jobs[rank.job].slices_per_cts;
  for (; stream.granted + at_once <= limit; stream.granted += at_once) {
    if (!c.nvlink) {
      proxy(ProxyItem::What::send_cts, connection, stream.granted, t);
      continue;
    }
    TimePs effect = t + plan().settings.nvlink_latency_ps;
    for (u32 i : c.in_switch == InSwitch::reduces ? joined_with(connection) : std::vector<u32>{connection}) {
      EndpointId source = plan().connections[i].src;
      gpu_of(source).nvlink_credits_.put(effect, {i, stream.granted + 1});
      sim_.wake(source, effect);
    }
  }
}

void Gpu::cts_arrived(const Packet& cts, TimePs t) {
  u32 connection = sim_.world.traffic.qps[cts.qp].connection;
  SendStream& stream = send_.at(connection);
  bool selective = sim_.world.roce.recovery == Recovery::selective_repeat;
  CtsReceiver::Reaction reaction = cts_receivers_[cts.qp].on_cts(cts.psn, selective);
  u64 slices = plan().jobs[place_of(plan(), connection).job].slices_per_cts;
  for (u64 i = 0; reaction.taken && i < slices; ++i) stream.early.insert(cts.message + i);
  while (stream.early.erase(stream.granted) > 0) stream.granted_ps[stream.granted++] = t;
  if (reaction.answer) nic_.answer_cts(cts, *reaction.answer, reaction.expected);
  send_granted(connection, t);
}

void Gpu::cts_answered(const Packet& answer, TimePs t) {
  send_again(answer.qp, cts_senders_.at(answer.qp).answered(answer.psn, answer.kind == PacketKind::cts_nak, t), t);
}

void Gpu::send_again(QpId qp, const std::vector<Cts>& all, TimePs t) {
  for (const Cts& cts : all) sim_.recorder.event(EventKind::retransmit, t, self_, 0, 0, nic_.send_cts(qp, cts, t).id());
}

TimePs Gpu::cts_deadline() const {
  TimePs deadline = kNever;
  for (const auto& [qp, sender] : cts_senders_)
    deadline = std::min({deadline, sender.deadline(), sender.low_deadline()});
  return deadline;
}

bool Gpu::check_cts_timeouts(TimePs t) {
  std::map<u32, QpId> due;  // by receiver number
  for (const auto& [qp, sender] : cts_senders_) {
    if (std::min(sender.deadline(), sender.low_deadline()) <= t) due[sim_.world.traffic.qps[qp].receiver_number] = qp;
  }
  for (const auto& [number, qp] : due) {
    if (cts_senders_.at(qp).deadline() > t) {
      send_again(qp, cts_senders_.at(qp).time_out_low(), t);
      continue;
    }
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

/// The time for which the next slice was the first that the proxy had seen and that had no CTS.
TimePs Gpu::waited_for_cts(const SendStream& stream) const {
  TimePs since = stream.posted_ps.at(stream.sent);
  if (stream.sent > 0) since = std::max(since, stream.granted_ps.at(stream.sent - 1));
  return std::max<TimePs>(0, stream.granted_ps.at(stream.sent) - since);
}

/// Hands to the QPs every slice that the proxy has seen and that is granted.
void Gpu::send_granted(u32 connection, TimePs t) {
  const Connection& c = plan().connections[connection];
  SendStream& stream = send_.at(connection);
  for (; stream.sent < std::min(stream.posted, stream.granted); ++stream.sent) {
    sim_.recorder.event(EventKind::cts_wait, t, self_, 0, 0, static_cast<u64>(waited_for_cts(stream)));
    auto parts = parts_of(connection, stream.sent);
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

std::vector<SlicePart> Gpu::parts_of(u32 connection, u64 slice) const {
  u64 bytes = slice_of_connection(plan(), connection, slice).bytes;
  QpScaling scaling = plan().jobs[place_of(plan(), connection).job].scaling;
  return parts_of_slice(scaling, plan().connections[connection].qps, slice, bytes);
}

/// With a low-latency protocol the GPU sees the slice at once: the flags are in the data.
void Gpu::slice_part_received(u32 connection, u64 slice, TimePs t) {
  RecvStream& stream = recv_.at(connection);
  if (++stream.parts_received[slice] < parts_of(connection, slice).size()) return;
  stream.parts_received.erase(slice);
  if (slice_of_connection(plan(), connection, slice).collective->protocol != Protocol::simple) {
    stream.in.insert(slice);
    return;
  }
  TimePs readable = t + sim_.world.roce.proxy_latency_ps + plan().settings.flush_latency_ps;
  flushes_.put(readable, {connection, slice, 0});
  sim_.wake(self_, readable);
}

/// The host's proxy thread sees every event one polling latency later, and posts one thing after the other.
void Gpu::proxy(ProxyItem::What what, u32 connection, u64 slice, TimePs t) {
  TimePs due = t + sim_.world.roce.proxy_latency_ps;
  if (what != ProxyItem::What::ack_notice) {
    due = std::max(due, proxy_free_ps_);
    proxy_free_ps_ = due + sim_.world.roce.proxy_service_ps;
  }
  proxy_.put(due, {what, connection, slice});
  sim_.wake(self_, due);
}

bool Gpu::proxy_stage(TimePs t) {
  auto items = proxy_.take(t);
  for (const ProxyItem& item : items) {
    const Connection& c = plan().connections[item.connection];
    switch (item.what) {
      case ProxyItem::What::ack_notice:
        send_.at(item.connection).in_slots.erase(item.slice);
        free_relayed(item.connection, t);
        break;
      case ProxyItem::What::posted:
        send_.at(item.connection).posted_ps[item.slice] = t;
        ++send_.at(item.connection).posted;
        send_granted(item.connection, t);
        break;
      case ProxyItem::What::send_cts: {
        const Job& job = plan().jobs[place_of(plan(), item.connection).job];
        u64 number = item.slice / job.slices_per_cts;  // distributed over QPs as slices are
        QpId qp = c.first_qp + parts_of_slice(job.scaling, c.qps, number, 0).front().qp;
        auto cts = cts_senders_.try_emplace(qp, sim_.world.roce).first->second.create(item.slice, t);
        if (cts) nic_.send_cts(qp, *cts, t);
        break;
      }
    }
  }
  auto flushed = flushes_.take(t);
  for (const Slice& slice : flushed) recv_.at(slice.connection).in.insert(slice.slice);
  return !items.empty() || !flushed.empty();
}

// ---- NVLink: whole slices, first come first served at both ends.

/// Returns the connections that the switch of the server joins with this one.
std::vector<u32> Gpu::joined_with(u32 connection) const {
  const Connection& c = plan().connections[connection];
  std::vector<u32> all;
  for (u32 i = 0; i < c.joined; ++i) all.push_back(c.first_joined + i);
  return all;
}

u32 Gpu::nvlink_speed(u32 connection) const {
  const bool plain = plan().connections[connection].in_switch == InSwitch::nothing;
  return plain ? plan().settings.nvlink_ps_per_byte_q16 : plan().settings.nvls_ps_per_byte_q16;
}

/// A multicast leaves once; the sending GPU receives a copy, too.
void Gpu::transfer(u32 connection, u64 slice, u64 bytes, TimePs t) {
  TimePs start = std::max(nvlink_egress_free_ps_, t), takes = ser_ps(bytes, nvlink_speed(connection));
  nvlink_egress_free_ps_ = start + takes;
  TimePs head = start + plan().settings.nvlink_latency_ps;
  bool multicast = plan().connections[connection].in_switch == InSwitch::multicasts;
  if (multicast) nvlink_ingress_free_ps_ = std::max(nvlink_ingress_free_ps_, t) + takes;
  for (u32 i : multicast ? joined_with(connection) : std::vector<u32>{connection}) {
    EndpointId dst = plan().connections[i].dst;
    gpu_of(dst).nvlink_heads_.put(head, {self_, i, slice, bytes});
    sim_.wake(dst, head);
  }
}

bool Gpu::nvlink_arrival_stage(TimePs t) {
  auto credits = nvlink_credits_.take(t);
  for (const NvlinkCredit& credit : credits) {
    bool multicast = plan().connections[credit.connection].in_switch == InSwitch::multicasts;
    std::vector<u32> all = multicast ? joined_with(credit.connection) : std::vector<u32>{credit.connection};
    SendStream& stream = send_.at(all.front());
    stream.credited[credit.connection] = credit.granted;
    u64 by_all = kEverySlice;
    for (u32 i : all) by_all = std::min(by_all, stream.credited[i]);
    stream.granted = std::max(stream.granted, by_all);
  }
  auto heads = nvlink_heads_.take(t);
  std::stable_sort(heads.begin(), heads.end(),
                   [](const NvlinkHead& a, const NvlinkHead& b) { return a.source < b.source; });
  for (const NvlinkHead& head : heads) {
    const Connection& c = plan().connections[head.connection];
    TimePs takes = ser_ps(head.bytes, nvlink_speed(head.connection));
    if (c.in_switch == InSwitch::reduces) {
      std::set<EndpointId>& sources = recv_.at(c.first_joined).at_switch[head.slice];
      sources.insert(head.source);
      if (sources.size() < c.joined) continue;
      nvlink_egress_free_ps_ = std::max(nvlink_egress_free_ps_, t) + takes;  // this GPU's own part
    }
    nvlink_ingress_free_ps_ = std::max(nvlink_ingress_free_ps_, t) + takes;
    nvlink_done_.put(nvlink_ingress_free_ps_, head);
    sim_.wake(self_, nvlink_ingress_free_ps_);
  }
  return !credits.empty() || !heads.empty();
}

bool Gpu::nvlink_done_stage(TimePs t) {
  auto done = nvlink_done_.take(t);
  for (const NvlinkHead& slice : done) {
    const Connection& c = plan().connections[slice.connection];
    recv_.at(c.in_switch == InSwitch::reduces ? c.first_joined : slice.connection).in.insert(slice.slice);
  }
  return !done.empty();
}

Gpu& Gpu::gpu_of(EndpointId endpoint) { return static_cast<Endpoint&>(*sim_.nodes[endpoint]).gpu(); }

}  // namespace heddle::oracle
