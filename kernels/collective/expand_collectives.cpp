// Jobs, lanes, connections and NVLinks.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "kernels/expand.hpp"

namespace heddle {
namespace {

/// Directed NVLinks in pairs, numbered by first use.
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

/// Lanes by (local GPU, job, position), and where the World's lanes went.
struct LaneOrder {
  std::vector<u32> world_lane;  // [local lane]
  std::vector<u32> local_lane;  // [World lane]
  std::vector<u32> job_of;      // [World lane]
  std::vector<u32> first;       // [local endpoint + 1]
};

LaneOrder order_lanes(const World& world, const Model& model) {
  const CollectivePlan& plan = world.collectives;
  const u32 lanes = static_cast<u32>(plan.lanes.size());
  LaneOrder o;
  o.job_of.assign(lanes, kNone);
  for (u32 j = 0; j < plan.jobs.size(); ++j) {
    for (u32 l = 0; l < plan.jobs[j].lanes; ++l) o.job_of[plan.jobs[j].first_lane + l] = j;
  }
  const auto gpu = [&](u32 l) { return model.local_endpoint[plan.lanes[l].gpu]; };
  for (u32 l = 0; l < lanes; ++l) {
    if (gpu(l) != kNone) o.world_lane.push_back(l);
  }
  std::stable_sort(o.world_lane.begin(), o.world_lane.end(),
                   [&](u32 x, u32 y) { return std::pair(gpu(x), o.job_of[x]) < std::pair(gpu(y), o.job_of[y]); });
  o.local_lane.assign(lanes, kNone);
  o.first.assign(model.view.endpoints + 1, 0);
  for (u32 l = 0; l < o.world_lane.size(); ++l) {
    o.local_lane[o.world_lane[l]] = l;
    ++o.first[gpu(o.world_lane[l]) + 1];
  }
  for (u32 e = 0; e < model.view.endpoints; ++e) o.first[e + 1] += o.first[e];
  return o;
}

void add_steps(const World& world, Model& model) {
  const CollectivePlan& plan = world.collectives;
  View& v = model.view;
  std::vector<JobPlan> jobs;
  std::vector<CollectiveStep> steps;
  for (const Job& job : plan.jobs) {
    const bool point_to_point = !job.collectives.empty() && plan.collectives[job.collectives[0]].phases == 1;
    jobs.push_back({static_cast<u32>(steps.size()), static_cast<u32>(job.collectives.size()),
                    point_to_point ? job.p2p_window : 0});
    if (job.slots == 0 || job.slots > kMaxSlots)
      throw std::invalid_argument("collective: between 1 and 8 slots per connection");
    for (u32 id : job.collectives) {
      const Collective& c = plan.collectives[id];
      const SliceLaw& law = plan.laws[c.law];
      if (law.total == 0) throw std::invalid_argument("collective: a collective with nothing to send");
      if (c.phases > 1 && c.slices_full > 2 * job.slots) {
        throw std::invalid_argument(
            "collective: a ring chunk of more slices than twice the slots of a connection can never pass; "
            "use fewer slices per chunk or more slots");
      }
      const u32 per_loop = c.phases == 1 ? 1 : (c.phases - 1) * c.slices_full;
      steps.push_back({c.start_ps, law, c.phases, c.phases == 1 ? 1 : c.slices_full, c.phases == 1 ? 1 : c.slices_tail,
                       law.full / per_loop, id});
    }
    for (EndpointId gpu : job.ranks)
      model.rank_finishes += model.local_endpoint[gpu] != kNone ? job.collectives.size() : 0;
  }
  model.arrays.add_plan(v, v.collective.job, "jobs", jobs);
  model.arrays.add_plan(v, v.collective.step, "collective steps", steps);
  model.collectives = static_cast<u32>(plan.collectives.size());
  CollectiveLog* log =
      model.arrays.add<CollectiveLog>(v, v.collective.log, "collective log", StateKind::dense, plan.collectives.size());
  std::fill(log, log + plan.collectives.size(), CollectiveLog{});
}

void add_members(const World& world, Model& model, const LaneOrder& order) {
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
  std::vector<u32> first_member(v.endpoints + 1, 0), dirty(v.endpoints + 1, 0);
  std::vector<LanePlan> lanes(order.world_lane.size());
  for (u32 e = 0; e < v.endpoints; ++e) {
    u32 lane = order.first[e];
    for (const auto& [job, rank] : jobs_of[e]) {
      Member m;
      m.job = job;
      m.rank = rank;
      m.first_lane = lane;
      for (; lane < order.first[e + 1] && order.job_of[order.world_lane[lane]] == job; ++lane) {
        const Lane& from = plan.lanes[order.world_lane[lane]];
        lanes[lane] = {from.recv, from.send, static_cast<u32>(members.size())};
      }
      m.lanes = lane - m.first_lane;
      members.push_back(m);
    }
    first_member[e + 1] = static_cast<u32>(members.size());
    dirty[e + 1] = dirty[e] + (order.first[e + 1] - order.first[e] + 63) / 64;
  }
  Collectives& k = v.collective;
  Arrays& a = model.arrays;
  a.add_plan(v, k.first_member, "first member", first_member);
  Member* member = a.add<Member>(v, k.member, "members", StateKind::dense, members.size());
  std::copy(members.begin(), members.end(), member);
  a.add_plan(v, k.first_lane, "first lane", order.first);
  a.add_plan(v, k.first_dirty_word, "first dirty word", dirty);
  a.add_plan(v, k.lane_plan, "lane plans", lanes);
  LaneState* lane = a.add<LaneState>(v, k.lane, "lanes", StateKind::dense, lanes.size());
  std::fill(lane, lane + lanes.size(), LaneState{});
  a.add<u64>(v, k.dirty, "dirty lanes", StateKind::derived, dirty[v.endpoints]);
  Gpu* gpu = a.add<Gpu>(v, k.gpu, "gpus", StateKind::dense, v.endpoints);
  for (u32 e = 0; e < v.endpoints; ++e) {
    gpu[e] = Gpu{};
    for (u32 m = first_member[e]; m < first_member[e + 1]; ++m) {
      gpu[e].start_due_ps = std::min(gpu[e].start_due_ps, k.step[k.job[members[m].job].first_step].start_ps);
    }
  }
}

void add_connections(const World& world, Model& model, const LaneOrder& order) {
  const CollectivePlan& plan = world.collectives;
  View& v = model.view;
  Collectives& k = v.collective;
  Arrays& a = model.arrays;
  NvlinkTable nvlinks;
  std::vector<ConnectionPlan> connections;
  std::vector<u32> receiver_of;
  connections.reserve(plan.connections.size());
  for (const Job& job : plan.jobs) {
    for (u32 i = job.first_connection; i < job.first_connection + job.connections; ++i) {
      const Connection& from = plan.connections[i];
      ConnectionPlan c;
      c.src = model.local_endpoint[from.src];
      c.dst = model.local_endpoint[from.dst];
      c.slots = job.slots;
      c.split = job.scaling == QpScaling::split;
      c.send_lane = order.local_lane[from.send_lane];
      c.recv_lane = order.local_lane[from.recv_lane];
      if (from.nvlink) {
        if (c.src != kNone) c.link = nvlinks.link(c.src, c.dst);  // a server is never divided
      } else {
        if (from.qps == 0 || from.qps > 255)
          throw std::invalid_argument("collective: between 1 and 255 queue pairs per connection");
        const Qp& qp = world.traffic.qps[from.first_qp];
        c.qps = from.qps;
        if (c.src != kNone) c.first_sender = v.endpoint.first_sender[c.src] + qp.sender_number;
        c.first_receiver = static_cast<u32>(receiver_of.size());
        for (u32 q = 0; q < from.qps && c.dst != kNone; ++q) {
          receiver_of.push_back(v.endpoint.first_receiver[c.dst] +
                                world.traffic.qps[from.first_qp + q].receiver_number);
        }
      }
      connections.push_back(c);
    }
  }
  if (connections.size() != plan.connections.size())
    throw std::invalid_argument("collective: connections must be ordered by job");
  a.add_plan(v, k.connection, "connections", connections);
  a.add_plan(v, k.receiver_of, "connection receivers", receiver_of);
  SendState* send = a.add<SendState>(v, k.send, "connection senders", StateKind::dense, connections.size());
  RecvState* recv = a.add<RecvState>(v, k.recv, "connection receivers' state", StateKind::dense, connections.size());
  std::fill(send, send + connections.size(), SendState{});
  std::fill(recv, recv + connections.size(), RecvState{});

  const u64 rings = nvlinks.plan.size() * 2;
  a.add_plan(v, k.nvlink, "nvlinks", nvlinks.plan);
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
  a.add_plan(v, k.incoming, "incoming nvlinks", incoming);
  a.add_plan(v, k.first_incoming, "first incoming nvlink", first);
  v.settings.any_nvlink = !nvlinks.plan.empty();
}

}  // namespace

void expand_collectives(const World& world, Model& model) {
  const CollectivePlan& plan = world.collectives;
  View& v = model.view;
  v.collective.jobs = static_cast<u32>(plan.jobs.size());
  if (plan.jobs.empty()) return;
  v.collective.copy_ps_per_byte_q16 = plan.settings.copy_ps_per_byte_q16;
  v.collective.nvlink_ps_per_byte_q16 = plan.settings.nvlink_ps_per_byte_q16;
  v.collective.nvlink_latency_ps = plan.settings.nvlink_latency_ps;
  const LaneOrder order = order_lanes(world, model);
  add_steps(world, model);
  add_members(world, model, order);
  add_connections(world, model, order);
}

}  // namespace heddle
