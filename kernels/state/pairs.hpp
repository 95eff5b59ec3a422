// An all-to-all in closed form at one of its endpoints: computes its channel ends, connections and queue pairs instead
// of storing them in tables (collective.hpp, MODEL.md 9.10).
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The 12 bits by which the UDP source ports of queue pairs differ.
HEDDLE_FN u32 source_port_entropy(u64 seed, EndpointId src, EndpointId dst, u32 of_qp) {
  return hash32(seed, Stream::source_port, (static_cast<u64>(src) << 32) | dst, of_qp) & 0xfff;
}

/// The rank of an endpoint in such a job; the endpoint is in no other job.
class PairsRank {
 public:
  HEDDLE_FN PairsRank(const View& v, u32 endpoint) : v_(v), endpoint_(endpoint) {
    const Collectives& k = v.collective;
    if (!k.any_pairs || k.first_member[endpoint] == k.first_member[endpoint + 1]) return;
    member_ = k.first_member[endpoint];
    const PairsPlan& plan = k.job[k.member[member_].job].pairs;
    if (plan.ranks != 0) p_ = &plan;
  }

  HEDDLE_FN bool present() const { return p_ != nullptr; }

  /// Plan of a sending queue pair; they are numbered by (round, channel, QP).
  HEDDLE_RARE_FN SenderPlan sender(u32 number) const {
    const u32 i = number % pair_qps(), from = rank(), to = plus(from, first_round(from) + number / pair_qps());
    SenderPlan plan;
    plan.dst = gpu(to);
    plan.receiver_number = static_cast<u16>(first_receiver(from, to) + i);
    plan.entropy = entropy(gpu(from), plan.dst, number);
    plan.traffic_class = kCollectiveClass;
    plan.connection = connection_number(from, minus(to, from), i / p_->qps);
    plan.scaling_index = i % p_->qps;
    return plan;
  }

  /// Plan of a receiving queue pair; they are numbered by (source endpoint, channel, QP).
  HEDDLE_RARE_FN ReceiverPlan receiver(u32 number) const {
    const u32 i = number % pair_qps(), to = rank();
    u32 place = number / pair_qps();
    if (place >= own_place()) place += p_->gpus_per_server;
    const u32 from = v_.collective.pair_rank[p_->first_rank + place], round = minus(to, from);
    ReceiverPlan plan;
    plan.src = gpu(from);
    plan.sender_number = static_cast<u16>(first_sender(from, round) + i);
    plan.entropy = entropy(plan.src, gpu(to), plan.sender_number);
    plan.connection = connection_number(from, round, i / p_->qps);
    plan.scaling_index = i % p_->qps;
    plan.answer_class = v_.settings.roce.ack_high_priority ? 0 : kCollectiveClass;
    plan.cts_class = v_.settings.roce.cts_high_priority ? 0 : kCollectiveClass;
    return plan;
  }

  /// A connection with an end at this rank. The channel end at its other end is not known.
  HEDDLE_RARE_FN ConnectionPlan connection(u32 connection) const {
    const u32 pair = (connection - p_->first_connection) / p_->channels, from = pair / (p_->ranks - 1);
    const u32 channel = (connection - p_->first_connection) % p_->channels, round = pair % (p_->ranks - 1) + 1;
    const u32 to = plus(from, round);
    ConnectionPlan plan;
    plan.split = p_->split;
    const u32 channel_end = v_.collective.member[member_].first_channel_end + (round - 1) * p_->channels + channel;
    plan.send_end = v_.collective.end_of(channel_end, 0);
    plan.recv_end = v_.collective.end_of(channel_end + channel_ends_of_a_direction(), 0);
    if (from / p_->gpus_per_server == to / p_->gpus_per_server) {
      plan.link = v_.collective.pair_nvlink[p_->first_nvlink + from * p_->gpus_per_server + to % p_->gpus_per_server];
      return plan;
    }
    plan.qps = p_->qps;
    plan.first_sender = first_sender(from, round) + channel * p_->qps;
    plan.first_receiver = first_receiver(from, to) + channel * p_->qps;
    return plan;
  }

  /// Plan of a channel end; they are numbered by (sends, then receives; round, channel).
  HEDDLE_RARE_FN ChannelEndPlan channel_end(u32 channel_end) const {
    const u32 position = position_of(channel_end),
              at = sends(channel_end) ? position : position - channel_ends_of_a_direction();
    const u32 round = at / p_->channels + 1, channel = at % p_->channels;
    ChannelEndPlan plan;
    plan.member = member_;
    if (sends(channel_end)) {
      plan.send = connection_number(rank(), round, channel);
    } else {
      plan.recv = connection_number(minus(rank(), round), round, channel);
    }
    return plan;
  }
  HEDDLE_FN bool sends(u32 channel_end) const { return position_of(channel_end) < channel_ends_of_a_direction(); }

  /// A channel end is used for the first time: charges its state to the memory for packets, for 64 channel ends at
  /// once.
  HEDDLE_RARE_FN void charge_channel_end(u32 channel_end) const {
    const u32 all = channel_ends_of_a_direction(),
              at = sends(channel_end) ? position_of(channel_end) : position_of(channel_end) - all;
    if (at % 64 == 0) charge((all - at < 64 ? all - at : 64) * (sends(channel_end) ? p_->send_bytes : p_->recv_bytes));
  }
  /// The congestion control of a sender begins to keep state; started(i) says whether sender i has state. Memory comes
  /// in pages, so the first of 64 neighbours is charged for all of them.
  template <class Started>
  HEDDLE_RARE_FN void charge_control(u32 sender, const Started& started) const {
    const u32 first = v_.endpoint.first_sender[endpoint_], end = v_.endpoint.first_sender[endpoint_ + 1];
    for (u32 i = first + sender / 64 * 64; i < end && i < first + sender / 64 * 64 + 64; ++i) {
      if (started(i)) return;
    }
    charge_controls();
  }
  /// Charges the control state of 64 neighbours.
  HEDDLE_FN void charge_controls() const { charge(u64{64} * v_.settings.congestion.state_bytes); }

 private:
  HEDDLE_FN void charge(u64 bytes) const {
    if (v_.collective.charge_pairs) charge_memory(v_.pool, bytes);
  }
  HEDDLE_FN u32 rank() const { return v_.collective.member[member_].rank; }
  HEDDLE_FN u32 position_of(u32 channel_end) const {
    return channel_end - v_.collective.member[member_].first_channel_end;
  }
  HEDDLE_FN u32 channel_ends_of_a_direction() const { return (p_->ranks - 1) * p_->channels; }
  HEDDLE_FN u32 pair_qps() const { return p_->channels * p_->qps; }
  HEDDLE_FN EndpointId gpu(u32 rank) const { return v_.collective.pair_gpu[p_->first_rank + rank]; }
  HEDDLE_FN u32 place(u32 rank) const { return v_.collective.pair_place[p_->first_rank + rank]; }
  /// Place of the first GPU of this rank's server.
  HEDDLE_FN u32 own_place() const { return place(rank() - rank() % p_->gpus_per_server); }
  HEDDLE_FN u32 plus(u32 rank, u32 round) const {
    return rank + round < p_->ranks ? rank + round : rank + round - p_->ranks;
  }
  HEDDLE_FN u32 minus(u32 rank, u32 round) const { return rank >= round ? rank - round : rank + p_->ranks - round; }
  /// The first round in which a rank sends over the network: its successors in the server come before all others, its
  /// predecessors after them.
  HEDDLE_FN u32 first_round(u32 rank) const { return p_->gpus_per_server - rank % p_->gpus_per_server; }
  HEDDLE_FN u32 first_sender(u32 from, u32 round) const { return (round - first_round(from)) * pair_qps(); }
  /// First receiving queue pair between ranks of different servers.
  HEDDLE_FN u32 first_receiver(u32 from, u32 to) const {
    const u32 before = place(from);
    return (before > place(to) ? before - p_->gpus_per_server : before) * pair_qps();
  }
  HEDDLE_FN u32 connection_number(u32 from, u32 round, u32 channel) const {
    return p_->first_connection + (from * (p_->ranks - 1) + round - 1) * p_->channels + channel;
  }
  HEDDLE_FN u16 entropy(EndpointId src, EndpointId dst, u32 sender_number) const {
    const Settings& s = v_.settings;
    return static_cast<u16>(source_port_entropy(s.seed, src, dst, s.source_port_per_qp ? sender_number : 0));
  }

  const View& v_;
  const u32 endpoint_;
  const PairsPlan* p_ = nullptr;
  u32 member_ = 0;
};

// Plans, from a table or in closed form: of an endpoint's queue pairs by their numbers at its NIC, of its channel ends,
// and of connections that end there. The closed form is a call on a copy of PairsRank, so that the caller's may stay in
// registers.

HEDDLE_FN SenderPlan sender_plan(const View& v, const PairsRank& pairs, u32 endpoint, u32 number) {
  if (pairs.present()) return PairsRank(pairs).sender(number);
  return v.endpoint.sender_plan[v.endpoint.first_sender_plan[endpoint] + number];
}

HEDDLE_FN ReceiverPlan receiver_plan(const View& v, const PairsRank& pairs, u32 endpoint, u32 number) {
  if (pairs.present()) return PairsRank(pairs).receiver(number);
  return v.endpoint.receiver_plan[v.endpoint.first_receiver_plan[endpoint] + number];
}

HEDDLE_FN ChannelEndPlan channel_end_plan(const View& v, const PairsRank& pairs, u32 endpoint, u32 channel_end) {
  if (pairs.present()) return PairsRank(pairs).channel_end(channel_end);
  return v.collective.channel_end_plan[v.collective.first_channel_end_plan[endpoint] + channel_end -
                                       v.collective.first_channel_end[endpoint]];
}

HEDDLE_FN ConnectionPlan connection_plan(const View& v, const PairsRank& pairs, u32 number) {
  if (pairs.present()) return PairsRank(pairs).connection(number);
  return v.collective.connection[number];
}

}  // namespace heddle
