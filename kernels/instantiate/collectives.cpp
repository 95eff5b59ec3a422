// Jobs, channel ends, connections and NVLinks.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <stdexcept>

#include "kernels/instantiate/instantiate.hpp"

namespace heddle {
namespace {

/// Directed NVLinks in pairs of both directions, numbered by first use.
class NvlinkTable {
 public:
  u32 link(u32 src, u32 dst) {
    const auto found = number_.find({src, dst});
    if (found != number_.end()) return found->second;
    const u32 there = static_cast<u32>(plan.size()), back = there + 1;
    number_[{src, dst}] = there;
    number_[{dst, src}] = back;
    plan.push_back({src, dst, back});
    plan.push_back({dst, src, there});
    return there;
  }
  std::vector<NvlinkPlan> plan;

 private:
  std::map<std::pair<u32, u32>, u32> number_;
};

/// Channel ends ordered by (local GPU, job, position), and the mapping from the World's channel ends. "In tables"
/// leaves out channel ends of all-to-alls in closed form.
struct ChannelEndOrder {
  std::vector<u32> world_channel_end;         // [local channel end in tables]
  std::vector<u32> local_channel_end;         // [World channel end]
  std::vector<std::pair<u32, u32>> group_of;  // [World channel end] job, group
  std::vector<u32> first;                     // [local endpoint + 1]
  std::vector<u32> first_in_table;            // [local endpoint + 1]
};

u32 channel_ends_of_rank(const Job& job) {
  return 2 * (static_cast<u32>(job.ranks.size()) - 1) * job.all_pairs.channels;
}

ChannelEndOrder order_channel_ends(const World& world, const Model& model) {
  const CollectivePlan& plan = world.collectives;
  const u32 channel_ends = static_cast<u32>(plan.channel_ends.size());
  ChannelEndOrder o;
  o.group_of.resize(channel_ends);
  for (u32 j = 0; j < plan.jobs.size(); ++j) {
    for (u32 g = 0; g < plan.jobs[j].groups.size(); ++g) {
      const ChannelEndGroup& group = plan.jobs[j].groups[g];
      std::fill_n(o.group_of.begin() + group.first_channel_end, group.channel_ends, std::pair(j, g));
    }
  }
  const auto gpu = [&](u32 l) { return model.local_endpoint[plan.channel_ends[l].gpu]; };
  for (u32 l = 0; l < channel_ends; ++l) {
    if (gpu(l) != kNone) o.world_channel_end.push_back(l);
  }
  std::stable_sort(o.world_channel_end.begin(), o.world_channel_end.end(),
                   [&](u32 x, u32 y) { return std::pair(gpu(x), o.group_of[x]) < std::pair(gpu(y), o.group_of[y]); });
  o.first_in_table.assign(model.view.endpoints + 1, 0);
  for (u32 l : o.world_channel_end) ++o.first_in_table[gpu(l) + 1];
  o.first = o.first_in_table;
  for (const Job& job : plan.jobs) {
    if (!job.all_pairs) continue;
    for (EndpointId rank : job.ranks) {
      const u32 e = model.local_endpoint[rank];
      if (e != kNone) o.first[e + 1] += channel_ends_of_rank(job);
    }
  }
  for (u32 e = 0; e < model.view.endpoints; ++e) {
    o.first[e + 1] += o.first[e];
    o.first_in_table[e + 1] += o.first_in_table[e];
  }
  o.local_channel_end.assign(channel_ends, kNone);
  for (u32 i = 0; i < o.world_channel_end.size(); ++i) {
    const u32 e = gpu(o.world_channel_end[i]);
    o.local_channel_end[o.world_channel_end[i]] = o.first[e] + i - o.first_in_table[e];
  }
  return o;
}

/// Data of the ranks of all-to-alls in closed form.
struct AllPairsTables {
  std::vector<EndpointId> gpu;
  std::vector<u32> place, rank;
  u32 nvlinks = 0, peers_log2 = 0;

  PairsPlan add(const Job& job, const RoceSettings& roce) {
    PairsPlan plan;
    if (!job.all_pairs) return plan;
    plan.ranks = static_cast<u32>(job.ranks.size());
    plan.gpus_per_server = job.all_pairs.gpus_per_server;
    plan.channels = job.all_pairs.channels;
    plan.qps = job.all_pairs.qps;
    plan.split = job.scaling == QpScaling::split;
    plan.first_connection = job.groups[0].first_connection;
    plan.first_rank = static_cast<u32>(gpu.size());
    plan.first_nvlink = nvlinks;
    nvlinks += plan.ranks * plan.gpus_per_server;
    const u64 sender_bytes = sizeof(Sender) + sender_window_bytes(roce) + (roce.selective() ? sizeof(LowTimer) : 0);
    // Control state is charged with the first CNP. Few senders wait for their pace at once: timers do not count.
    plan.send_bytes =
        static_cast<u32>(sizeof(ChannelEndState) + (sizeof(SendState) << peers_log2) + plan.qps * sender_bytes);
    plan.recv_bytes = static_cast<u32>(sizeof(ChannelEndState) + (sizeof(RecvState) << peers_log2) +
                                       plan.qps * (sizeof(Receiver) + sizeof(CtsStream) + receiver_window_bytes(roce)));
    std::vector<u32> by_gpu(plan.ranks), place_of(plan.ranks);
    std::iota(by_gpu.begin(), by_gpu.end(), 0);
    std::sort(by_gpu.begin(), by_gpu.end(), [&](u32 a, u32 b) { return job.ranks[a] < job.ranks[b]; });
    for (u32 i = 0; i < plan.ranks; ++i) place_of[by_gpu[i]] = i;
    gpu.insert(gpu.end(), job.ranks.begin(), job.ranks.end());
    place.insert(place.end(), place_of.begin(), place_of.end());
    rank.insert(rank.end(), by_gpu.begin(), by_gpu.end());
    return plan;
  }
};

/// Slices of later collectives that may be admitted in advance: at most as many as a connection has slots.
u32 slices_ahead(const CollectivePlan& plan, const Job& job, size_t position) {
  const Collective& now = plan.collectives[job.collectives[position]];
  if (now.composed) return 0;
  u32 ahead = 0;
  for (size_t p = position + 1; p < job.collectives.size() && ahead < kMaxSlots; ++p) {
    const Collective& next = plan.collectives[job.collectives[p]];
    if (next.composed || next.group != now.group) continue;
    if (!next.eager || next.protocol != now.protocol || next.slots != now.slots) break;
    ahead = std::min(kMaxSlots, ahead + plan.schedules[next.schedule].total);
  }
  return ahead;
}

void check_schedules(const CollectivePlan& plan, const Job& job, const Collective& c) {
  const u32 connections = c.composed ? 0 : job.groups[c.group].connections;
  if (!std::has_single_bit(job.slices_per_cts) || (job.slices_per_cts != 1 && job.all_pairs))
    throw std::invalid_argument("collective: 1, 2, 4 or 8 slices per CTS, and one of those in closed form");
  if (c.schedules == 0 ||
      (c.schedules > 1 && (job.all_pairs || c.phases > 1 || c.eager || connections % c.schedules != 0)))
    throw std::invalid_argument("collective: schedules that do not fit the connections of its group");
  for (u32 schedule = c.schedule; schedule < c.schedule + c.schedules; ++schedule) {
    const u32 slices = plan.schedules.at(schedule).total;
    if ((slices == 0) != c.composed) throw std::invalid_argument("collective: a collective with nothing to send");
    if (slices % job.slices_per_cts != 0)
      throw std::invalid_argument("collective: slices that whole CTSs do not admit");
  }
}

/// Writes the steps of a job in place, because there may be millions.
void write_steps(const CollectivePlan& plan, const Job& job, CollectiveStep* steps) {
  for (size_t position = 0; position < job.collectives.size(); ++position) {
    const u32 id = job.collectives[position];
    const Collective& c = plan.collectives[id];
    const bool as_before = position != 0 && plan.collectives[job.collectives[position - 1]].schedule == c.schedule;
    if (!as_before) check_schedules(plan, job, c);
    const SliceSchedule& schedule = plan.schedules[c.schedule];
    if (job.slices_per_cts > c.slots)
      throw std::invalid_argument("collective: CTSs of more slices than a connection has slots");
    if (c.slots == 0 || c.slots > kMaxSlots)
      throw std::invalid_argument("collective: between 1 and 8 slots per connection");
    if (c.phases > 1 && c.slices_full > 2 * c.slots) {
      throw std::invalid_argument(
          "collective: a ring chunk of more slices than twice the slots of a connection can never pass; "
          "use fewer slices per chunk or more slots");
    }
    const bool ring = c.phases > 1;
    CollectiveStep step;
    step.start_ps = c.start_ps;
    step.launch_latency_ps = c.launch_latency_ps;
    step.schedule = schedule;
    step.first_schedule = c.schedule;
    step.connections_per_schedule = c.schedules == 1 ? 0 : job.groups[c.group].connections / c.schedules;
    step.ahead = static_cast<u8>(slices_ahead(plan, job, position));
    step.phases = c.phases;
    step.slices_full = ring ? c.slices_full : 1;
    step.slices_tail = ring ? c.slices_tail : 1;
    step.full_loops = schedule.full / (ring ? (c.phases - 1) * c.slices_full : 1);
    step.id = id;
    step.group = c.group;
    step.window = job.groups[c.group].window;
    step.slots = c.slots;
    step.protocol = c.protocol;
    step.composed = c.composed;
    step.channel_ps_per_byte_q16 = c.channel_ps_per_byte_q16;
    steps[position] = step;
  }
}

void add_steps(const World& world, Model& model) {
  const CollectivePlan& plan = world.collectives;
  View& v = model.view;
  std::vector<JobPlan> jobs;
  u32 steps = 0;
  AllPairsTables pairs;
  pairs.peers_log2 = v.collective.peers_log2;
  for (const Job& job : plan.jobs) {
    const u32 of_job = static_cast<u32>(job.collectives.size());
    jobs.push_back({steps, of_job, pairs.add(job, world.roce)});
    steps += of_job;
    for (EndpointId gpu : job.ranks) model.rank_finishes += model.local_endpoint[gpu] != kNone ? of_job : 0;
  }
  v.collective.any_pairs = v.collective.charge_pairs = model.use == Use::sparse;
  model.arrays.add_plan(v, v.collective.pair_gpu, "all pairs: endpoints", pairs.gpu);
  model.arrays.add_plan(v, v.collective.pair_place, "all pairs: places", pairs.place);
  model.arrays.add_plan(v, v.collective.pair_rank, "all pairs: ranks", pairs.rank);
  model.arrays.add_plan(v, v.collective.job, "jobs", jobs);
  CollectiveStep* step =
      model.arrays.add<CollectiveStep>(v, v.collective.step, "collective steps", StateKind::plan, steps);
  for (size_t j = 0; j < jobs.size(); ++j) write_steps(plan, plan.jobs[j], step + jobs[j].first_step);
  model.arrays.add_plan(v, v.collective.schedule, "slice schedules", plan.schedules);
  model.collectives = static_cast<u32>(plan.collectives.size());
  CollectiveOutcome* log = model.arrays.add<CollectiveOutcome>(v, v.collective.log, "collective log", StateKind::dense,
                                                               plan.collectives.size());
  std::fill(log, log + plan.collectives.size(), CollectiveOutcome{});
}

/// `first`: no channel end that sends or receives for its own GPU comes before it in the group.
void check_relay(const CollectivePlan& plan, const ChannelEnd& channel_end, bool first) {
  const bool fits = first && channel_end.recv.count() == 1 && channel_end.send.count() == 1 &&
                    plan.connections[channel_end.recv.connection[0]].nvlink &&
                    !plan.connections[channel_end.send.connection[0]].nvlink;
  if (!fits)
    throw std::invalid_argument("collective: a relay that does not lead from one NVLink to one NIC, or not first");
}

void add_members(const World& world, Model& model, const ChannelEndOrder& order) {
  const CollectivePlan& plan = world.collectives;
  View& v = model.view;
  std::vector<std::vector<std::pair<u32, u32>>> jobs_of(v.endpoints);  // (job, rank)
  for (u32 j = 0; j < plan.jobs.size(); ++j) {
    for (u32 r = 0; r < plan.jobs[j].ranks.size(); ++r) {
      const u32 e = model.local_endpoint[plan.jobs[j].ranks[r]];
      if (e != kNone) jobs_of[e].push_back({j, r});
    }
  }
  std::vector<Member> members;
  std::vector<GroupChannelEnds> group_channel_ends;
  std::vector<u32> first_member(v.endpoints + 1, 0), dirty(v.endpoints + 1, 0);
  std::vector<ChannelEndPlan> channel_ends(order.world_channel_end.size());
  for (u32 e = 0; e < v.endpoints; ++e) {
    u32 channel_end = order.first[e];
    for (const auto& [job, rank] : jobs_of[e]) {
      Member m;
      m.job = job;
      m.rank = rank;
      m.released = plan.jobs[job].by_program ? 0 : static_cast<u32>(plan.jobs[job].collectives.size());
      m.first_channel_end = channel_end;
      m.first_group = static_cast<u32>(group_channel_ends.size());
      for (u32 g = 0; g < plan.jobs[job].groups.size(); ++g) {
        const u32 first = channel_end;
        if (plan.jobs[job].all_pairs) channel_end = order.first[e + 1];
        for (; channel_end < order.first[e + 1]; ++channel_end) {
          const u32 i = order.first_in_table[e] + channel_end - order.first[e];
          if (order.group_of[order.world_channel_end[i]] != std::pair(job, g)) break;
          const ChannelEnd& from = plan.channel_ends[order.world_channel_end[i]];
          if (from.relays) check_relay(plan, from, channel_end == first || channel_ends[i - 1].relays);
          channel_ends[i] = {from.recv, from.send, static_cast<u32>(members.size()), from.relays};
        }
        group_channel_ends.push_back({first, channel_end - first});
      }
      m.channel_ends = channel_end - m.first_channel_end;
      members.push_back(m);
    }
    first_member[e + 1] = static_cast<u32>(members.size());
    const u32 words = (order.first[e + 1] - order.first[e] + 63) / 64;
    dirty[e + 1] = dirty[e] + words + (words + 63) / 64;
  }
  Collectives& k = v.collective;
  Arrays& a = model.arrays;
  a.add_plan(v, k.first_member, "first member", first_member);
  Member* member = a.add<Member>(v, k.member, "members", StateKind::dense, members.size());
  std::copy(members.begin(), members.end(), member);
  a.add_plan(v, k.group_channel_ends, "channel ends of groups", group_channel_ends);
  a.add_plan(v, k.first_channel_end, "first channel end", order.first);
  a.add_plan(v, k.first_dirty_word, "first dirty word", dirty);
  a.add_plan(v, k.channel_end_plan, "channel end plans", channel_ends);
  a.add_plan(v, k.first_channel_end_plan, "first channel end plan", order.first_in_table);
  a.add<ChannelEndState>(v, k.channel_end, "channel ends", StateKind::dense, order.first.back(), model.use);
  const u64 ends = u64{order.first.back()} << k.peers_log2;
  if (ends > kNone) throw std::invalid_argument("collective: more channel ends than can be numbered");
  a.add<SendState>(v, k.send, "channel ends that send", StateKind::dense, ends, model.use);
  if (v.settings.report_cts_waits) a.add<CtsWait>(v, k.cts_wait, "waits for CTSs", StateKind::dense, ends, model.use);
  a.add<RecvState>(v, k.recv, "channel ends that receive", StateKind::dense, ends, model.use);
  if (model.use == Use::sparse)
    model.used_bytes +=
        channel_ends.size() * (sizeof(ChannelEndState) + ((sizeof(SendState) + sizeof(RecvState)) << k.peers_log2));
  a.add<u64>(v, k.dirty, "dirty channel ends", StateKind::derived, dirty[v.endpoints]);
  Gpu* gpu = a.add<Gpu>(v, k.gpu, "gpus", StateKind::dense, v.endpoints);
  for (u32 e = 0; e < v.endpoints; ++e) {
    gpu[e] = Gpu{};
    for (u32 m = first_member[e]; m < first_member[e + 1]; ++m) {
      if (members[m].released == 0) continue;
      gpu[e].due_ps[kMemberStart] =
          std::min(gpu[e].due_ps[kMemberStart], k.step[k.job[members[m].job].first_step].start_ps);
    }
  }
}

void add_qps(const Traffic& traffic, const Connection& from, ConnectionPlan& c) {
  if (from.qps == 0 || from.qps > 255)
    throw std::invalid_argument("collective: between 1 and 255 queue pairs per connection");
  c.qps = from.qps;
  c.first_sender = traffic.qps[from.first_qp].sender_number;
  c.first_receiver = traffic.qps[from.first_qp].receiver_number;
  for (u32 q = 0; q < from.qps; ++q) {
    const Qp& qp = traffic.qps[from.first_qp + q];
    if (qp.sender_number != c.first_sender + q || qp.receiver_number != c.first_receiver + q)
      throw std::invalid_argument("collective: the queue pairs of a connection must be consecutive at both ends");
  }
}

/// [rank * gpus_per_server + peer's number in the server] of each all-to-all in closed form; kNone in other parts.
std::vector<u32> nvlinks_of_pairs(const CollectivePlan& plan, const Model& model, NvlinkTable& nvlinks) {
  std::vector<u32> links;
  for (const Job& job : plan.jobs) {
    const u32 server = job.all_pairs.gpus_per_server;
    for (u32 rank = 0; job.all_pairs && rank < job.ranks.size(); ++rank) {
      for (u32 i = 0; i < server; ++i) {
        const u32 src = model.local_endpoint[job.ranks[rank]], peer = rank / server * server + i;
        links.push_back(peer == rank || src == kNone ? kNone
                                                     : nvlinks.link(src, model.local_endpoint[job.ranks[peer]]));
      }
    }
  }
  return links;
}

/// Several connections of the switch may share a channel end, which then names the first of them.
void add_joined(const Connection& from, u32 number, ConnectionPlan& c) {
  c.in_switch = from.in_switch;
  c.first_joined = from.in_switch == InSwitch::nothing ? number : from.first_joined;
  if (from.joined == 0 || from.joined > 0xff || number - c.first_joined >= from.joined)
    throw std::invalid_argument("collective: the switch of a server joins between 1 and 255 connections in a row");
  c.joined = static_cast<u16>(from.joined);
}

/// The connection's end at a channel end; kNone: in another part.
u32 end_of(const CollectivePlan& plan, const Collectives& k, const ChannelEndOrder& order, u32 world_channel_end,
           Peers ChannelEnd::*peers, u32 connection) {
  if (order.local_channel_end[world_channel_end] == kNone) return kNone;
  const Peers& all = plan.channel_ends[world_channel_end].*peers;
  const auto at = std::find(std::begin(all.connection), std::end(all.connection), connection);
  if (at == std::end(all.connection))
    throw std::invalid_argument("collective: a connection that its channel end does not name");
  return k.end_of(order.local_channel_end[world_channel_end], static_cast<u32>(at - std::begin(all.connection)));
}

/// Log2 of the number of peers of the channel end with the most; the same in every part.
u32 peers_log2_of(const CollectivePlan& plan) {
  return has_several_peers(plan) ? static_cast<u32>(std::countr_zero(kPeersRoom)) : 0;
}

void add_connections(const World& world, Model& model, const ChannelEndOrder& order) {
  const CollectivePlan& plan = world.collectives;
  View& v = model.view;
  Collectives& k = v.collective;
  Arrays& a = model.arrays;
  NvlinkTable nvlinks;
  std::vector<ConnectionPlan> connections;
  connections.reserve(plan.connections.size());
  for (const Job& job : plan.jobs) {
    if (job.all_pairs) continue;
    for (const ChannelEndGroup& group : job.groups) {
      for_each_connection(group, [&](u32 number) {
        const Connection& from = plan.connections[number];
        ConnectionPlan c;
        c.split = job.scaling == QpScaling::split;
        c.place = number - group.first_connection;
        add_joined(from, number, c);
        const bool multicast = c.in_switch == InSwitch::multicasts, reduced = c.in_switch == InSwitch::reduces;
        c.send_end =
            end_of(plan, k, order, from.send_channel_end, &ChannelEnd::send, multicast ? c.first_joined : number);
        c.recv_end =
            end_of(plan, k, order, from.recv_channel_end, &ChannelEnd::recv, reduced ? c.first_joined : number);
        if (from.nvlink) {
          const u32 src = model.local_endpoint[from.src], dst = model.local_endpoint[from.dst];
          if (src != kNone) c.link = nvlinks.link(src, dst);  // a server is never divided between parts
        } else {
          c.slices_per_cts = static_cast<u8>(job.slices_per_cts);
          add_qps(world.traffic, from, c);
        }
        connections.push_back(c);
      });
    }
  }
  if (connections.size() != plan.connections.size())
    throw std::invalid_argument("collective: connections must be ordered by job");
  a.add_plan(v, k.connection, "connections", connections);
  a.add_plan(v, k.pair_nvlink, "all pairs: nvlinks", nvlinks_of_pairs(plan, model, nvlinks));

  const u64 rings = nvlinks.plan.size() * 2;
  a.add<NvlinkQueue>(v, k.nvlink_queue, "nvlink queues", StateKind::dense, rings);
  for (u32 p = 0; p < 2; ++p) {
    a.add<Collectives::NvlinkPublished>(v, k.nvlink_published[p], "published nvlink queues", StateKind::derived, rings);
    a.add<u32>(v, k.nvlink_head[p], "nvlink heads", StateKind::derived, rings);
  }
  // Incoming links of a GPU in order of the source's global number.
  std::vector<u32> incoming(nvlinks.plan.size()), first(v.endpoints + 1, 0);
  for (u32 i = 0; i < incoming.size(); ++i) {
    incoming[i] = i;
    ++first[nvlinks.plan[i].dst + 1];
  }
  std::sort(incoming.begin(), incoming.end(), [&](u32 x, u32 y) {
    const auto key = [&](u32 i) { return std::pair(nvlinks.plan[i].dst, v.endpoint.id[nvlinks.plan[i].src]); };
    return key(x) < key(y);
  });
  for (u32 e = 0; e < v.endpoints; ++e) first[e + 1] += first[e];
  std::vector<u32> first_word(v.endpoints + 1, 0);
  for (u32 e = 0; e < v.endpoints; ++e) {
    for (u32 i = first[e]; i < first[e + 1]; ++i) nvlinks.plan[incoming[i]].place = i - first[e];
    first_word[e + 1] = first_word[e] + (2 * (first[e + 1] - first[e]) + 63) / 64;
  }
  a.add_plan(v, k.nvlink, "nvlinks", nvlinks.plan);
  a.add_plan(v, k.first_incoming_word, "first word of incoming nvlinks", first_word);
  for (u32 p = 0; p < 2; ++p)
    a.add<u64>(v, k.nvlink_updates[p], "NVLinks with updates", StateKind::derived, first_word[v.endpoints]);
  a.add<u64>(v, k.nvlink_waiting, "nvlinks that wait", StateKind::derived, first_word[v.endpoints]);
  a.add<u64>(v, k.nvlink_moved, "nvlinks that moved", StateKind::derived, first_word[v.endpoints]);
  a.add_plan(v, k.incoming, "incoming nvlinks", incoming);
  a.add_plan(v, k.first_incoming, "first incoming nvlink", first);
  v.settings.any_nvlink = !nvlinks.plan.empty();
}

/// A CTS stream for every receiving queue pair, with or without a connection.
void add_cts_streams(Model& model) {
  View& v = model.view;
  const u32 receivers = v.endpoint.first_receiver[v.endpoints];
  model.arrays.add<CtsStream>(v, v.collective.cts, "CTSs", StateKind::dense, receivers, model.use);
  if (model.use == Use::sparse)
    model.used_bytes += u64{v.endpoint.first_receiver_plan[v.endpoints]} * sizeof(CtsStream);
}

}  // namespace

void instantiate_collectives(const World& world, Model& model) {
  const CollectivePlan& plan = world.collectives;
  View& v = model.view;
  v.collective.jobs = static_cast<u32>(plan.jobs.size());
  if (plan.jobs.empty()) return;
  v.collective.copy_ps_per_byte_q16 = plan.settings.copy_ps_per_byte_q16;
  v.collective.copy_computing_ps_per_byte_q16 = plan.settings.copy_computing_ps_per_byte_q16;
  v.collective.nvlink_ps_per_byte_q16 = plan.settings.nvlink_ps_per_byte_q16;
  v.collective.nvls_ps_per_byte_q16 = plan.settings.nvls_ps_per_byte_q16;
  v.collective.nvlink_latency_ps = plan.settings.nvlink_latency_ps;
  std::copy_n(plan.settings.post_latency_ps, kPosts, v.collective.post_latency_ps);
  v.collective.flush_latency_ps = plan.settings.flush_latency_ps;
  v.collective.peers_log2 = peers_log2_of(plan);
  const ChannelEndOrder order = order_channel_ends(world, model);
  add_steps(world, model);
  add_members(world, model, order);
  add_connections(world, model, order);
  add_cts_streams(model);
}

}  // namespace heddle
