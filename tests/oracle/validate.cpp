#include "tests/oracle/validate.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/oracle/congestion/controls.hpp"

namespace heddle::oracle {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

std::string at(const char* table, std::size_t index) { return std::string(table) + "[" + std::to_string(index) + "]"; }

void validate_clocks(const Clocks& clocks) {
  TimePs slot_ps = TimePs{1} << clocks.slot_log2_ps;
  require(clocks.epoch_ps > 0 && clocks.epoch_ps % slot_ps == 0,
          "clocks.epoch_ps = " + std::to_string(clocks.epoch_ps) + " is not a multiple of the slot of " +
              std::to_string(slot_ps) + " ps: thresholds are taken at slots; choose a multiple");
}

void validate_links(const Fabric& fabric) {
  for (std::size_t l = 0; l < fabric.links.size(); ++l) {
    const Link& link = fabric.links[l];
    require(link.ps_per_byte_q16 > 0, at("links", l) + " has no speed: give it a rate");
    require(
        link.lambda_ps > 0 && link.phi_ps > 0,
        at("links", l) + " has a latency of 0: nodes could see each other within an instant; give it at least 1 ps");
    require(link.reverse < fabric.links.size() && fabric.links[link.reverse].reverse == l,
            at("links", l) + " has no reverse link: pauses could not travel; connect both directions");
    if (link.ingress == kNone || !fabric.ingress[link.ingress].dynamic) continue;
    require(link.pool != kNone,
            at("links", l) + " has dynamic thresholds and no pool to take them from; give it a pool");
  }
}

/// Checks that both directions of a cable go up, down, slow and fast together.
void validate_failures(const World& world) {
  const Fabric& fabric = world.fabric;
  if (world.failures.none()) return;
  require(world.failures.first.size() == fabric.links.size() + 1,
          "failures.first does not fit the links: it needs one entry for each, and one");
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    TimePs before = -1;
    LinkState state = nominal_state(fabric.links[l]);
    for (const LinkChange& change : world.failures.of(l)) {
      LinkState back = state_at(fabric, world.failures, fabric.links[l].reverse, change.at_ps);
      require(change.at_ps > before, at("links", l) + " changes twice at one time, or in disorder; sort its changes");
      require(change.state != state, at("links", l) + " changes into what it is; leave that out");
      require(change.state.ps_per_byte_q16 == back.ps_per_byte_q16,
              at("links", l) + " and its reverse differ in being up or in speed; change both");
      require(!change.state.up() || change.state.ps_per_byte_q16 >= fabric.links[l].ps_per_byte_q16,
              at("links", l) + " becomes faster than its table says; thresholds count on that; give at most that");
      before = change.at_ps;
      state = change.state;
    }
  }
}

void validate_classes(const Fabric& fabric) {
  require(!fabric.classes.empty() && fabric.classes.size() <= kMaxClasses,
          "classes: " + std::to_string(fabric.classes.size()) + " are given; the model has 1 to 4");
  for (std::size_t c = 1; c < fabric.classes.size(); ++c) {
    require(fabric.classes[c].strict || fabric.classes[c].weight > 0,
            at("classes", c) + " has weight 0 and would never be served; give it a weight or make it strict");
  }
  require(fabric.classes[0].transport == Transport::roce,
          "classes[0] has TCP: it carries control packets of RoCE; give TCP a class of its own");
  require(fabric.max_frame_bytes > 0,
          "max_frame_bytes is 0: deficit round robin would never serve; give the frame size");
}

/// Checks that class 3 is there for detours, and for nothing else.
void validate_detours(const World& world) {
  const u32 cls = world.routing.detour_class;
  if (cls == 0) return;
  require(cls == kDetourClass && world.fabric.classes.size() > cls,
          "routing.detour_class is " + std::to_string(cls) + ": packets go on in class 3 of 4; give 3 and its class");
  for (std::size_t q = 0; q < world.traffic.qps.size(); ++q)
    require(world.traffic.qps[q].traffic_class != cls,
            at("qps", q) + " has the class of packets that have taken a detour; give it another one");
  for (std::size_t n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n)
    require(world.fabric.nodes[n].ports <= kMaxDetourPorts,
            at("nodes", n) + " has more ports than a switch may have where packets take detours: 2048");
}

void validate_traffic(const World& world) {
  const Fabric& fabric = world.fabric;
  for (std::size_t e = 0; e < fabric.endpoints; ++e) {
    require(fabric.nodes[e].ports == 0 || fabric.nodes[e].ports == fabric.nic_ports,
            at("nodes", e) + " is an endpoint whose NIC has other than fabric.nic_ports ports");
  }
  for (std::size_t q = 0; q < world.traffic.qps.size(); ++q) {
    const Qp& qp = world.traffic.qps[q];
    require(qp.traffic_class > 0 && qp.traffic_class < fabric.classes.size(),
            at("qps", q) + " has traffic class " + std::to_string(qp.traffic_class) +
                ": data needs a class of the table other than 0, which is for control packets");
    require(qp.connection == kNone || fabric.classes[qp.traffic_class].transport == Transport::roce,
            at("qps", q) + " is of a collective in a class with TCP: collectives use RoCE; give it another class");
  }
  for (std::size_t m = 0; m < world.traffic.messages.size(); ++m) {
    require(world.traffic.messages[m].bytes > 0, at("messages", m) + " has no bytes; a message has at least 1");
  }
  require(world.roce.ack_every > 0, "roce.ack_every is 0: nothing would be acknowledged; use 1 or more");
  require(world.roce.window_packets <= kPsnWindowPackets,
          "roce.window_packets is more than 2^23 - 1: PSNs of 24 bits could not tell them apart; use fewer");
  const u32 reorder = world.roce.reorder_window_packets, distance = world.roce.reorder_distance_packets;
  require(world.roce.recovery == Recovery::go_back_n || (distance > 0 && distance < reorder && reorder <= 65536),
          "roce: selective repeat needs a reordering distance of at least 1, less than a window of at most 65536");
  require(world.roce.mtu_bytes > 0, "roce.mtu_bytes is 0: no packet could carry data; use 1 or more");
}

void validate_tcp(const TcpSettings& tcp) {
  const std::string problem = problem_of_tcp(tcp);
  require(problem.empty(), problem);
  require(tcp.segment_bytes > 0, "tcp.segment_bytes is 0: no segment could carry data; use 1 or more");
}

void validate_collectives(const CollectivePlan& plan) {
  for (std::size_t c = 0; c < plan.connections.size(); ++c) {
    require(!plan.connections[c].nvlink || plan.settings.nvlink_latency_ps > 0,
            at("connections", c) + " is NVLink with a latency of 0: give it at least 1 ps");
    require(plan.connections[c].nvlink || plan.connections[c].qps > 0,
            at("connections", c) + " has no QPs; give it one");
  }
  for (const Job& job : plan.jobs) {
    for (u32 c : job.collectives) {
      const Collective& collective = plan.collectives[c];
      require(collective.slots > 0, at("collectives", c) + " has 0 slots and could never send; use 1 or more");
      for (u32 schedule = collective.schedule; schedule < collective.schedule + collective.schedules; ++schedule) {
        require(plan.schedules.at(schedule).total % job.slices_per_cts == 0,
                at("collectives", c) + " has slices that CTSs of " + std::to_string(job.slices_per_cts) +
                    " slices do not admit; use CTSs of one");
      }
      const ChannelEndGroup& group = job.groups.at(collective.group);
      for (u32 l = group.first_channel_end; l < group.first_channel_end + group.channel_ends; ++l) {
        const ChannelEnd& channel_end = plan.channel_ends[l];
        require(collective.phases == 1 || (!channel_end.recv.none() && !channel_end.send.none()),
                at("channel ends", l) + " does not fit " + at("collectives", c) + " of " +
                    std::to_string(collective.phases) + " phases: a ring channel end sends and receives");
        require(!channel_end.relays || (channel_end.recv.count() == 1 && channel_end.send.count() == 1 &&
                                        plan.connections[channel_end.recv.connection[0]].nvlink &&
                                        !plan.connections[channel_end.send.connection[0]].nvlink),
                at("channel ends", l) + " relays, but not from one connection by NVLink to one over the network");
        require(group.window == 0 || channel_end.relays || channel_end.recv.none() || channel_end.send.none(),
                at("channel ends", l) + " sends and receives, but windows are for channel ends that do one of them");
      }
    }
  }
}

/// Number of posts of a series that a run carries out in all its iterations.
u64 posts_of(const ProgramPlan& plan, const ProgramRun& run, u32 series) {
  const Program& program = plan.programs.at(run.program);
  u64 posts = 0;
  for (u32 i = 0; i < plan.tasks.at(run.task).iterations; ++i) {
    for (u32 s = program.first_stream; s < program.first_stream + program.streams; ++s) {
      const OpStream& stream = plan.streams.at(s);
      for (u32 o = stream.first_op; o < stream.first_op + stream.ops; ++o)
        posts += plan.ops.at(o).kind == OpKind::post && plan.ops[o].stream == series && takes_place(plan.ops[o], i);
    }
  }
  return posts;
}

/// Checks what the helper of a run sends and awaits for a batch.
void validate_batch(const World& world, EndpointId helper, u32 b) {
  const ProgramPlan& plan = world.programs;
  const Traffic& traffic = world.traffic;
  const Batch& batch = plan.batches.at(b);
  for (u32 i = batch.first_posted; i < batch.first_posted + batch.posted; ++i) {
    const u32 m = plan.posted.at(i);
    const Message& message = traffic.messages.at(m);
    require(traffic.qps[message.qp].src == helper, at("batches", b) + " posts " + at("messages", m) +
                                                       ", which the helper does not send; choose another helper");
    require(message.waits_for == 1, at("messages", m) +
                                        " is of a batch and has other than waits_for = 1: it would be "
                                        "posted without the batch, or never");
    for (const MessageWait& wait : traffic.waits) {
      require(wait.waiting != m, at("messages", m) + " is of a batch and waits for other messages, too; do without");
    }
  }
  for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i) {
    const AwaitedMessage& awaited = plan.awaited.at(i);
    const Qp& qp = traffic.qps[traffic.messages.at(awaited.message).qp];
    require((awaited.received ? qp.dst : qp.src) == helper,
            at("batches", b) + " awaits " + at("messages", awaited.message) + ", of which the helper never knows: " +
                (awaited.received ? "another endpoint receives it" : "another endpoint sends it"));
  }
}

/// Checks the messages of programs (MODEL.md, 9.14).
void validate_programs(const World& world) {
  const ProgramPlan& plan = world.programs;
  std::map<QpId, std::set<std::pair<std::size_t, bool>>> series_of;  // that post messages of a QP: run, whether loads
  std::map<QpId, std::vector<MessageId>> posted_on;                  // messages of a QP, as they are posted
  u32 batches = 0;
  for (std::size_t r = 0; r < plan.runs.size(); ++r) {
    const ProgramRun& run = plan.runs[r];
    for (u32 series = 0; series < kBatchSeries; ++series) {
      const u64 posts = posts_of(plan, run, series), own = run.series(static_cast<BatchSeries>(series)).count;
      require(posts == own, at("runs", r) + " has " + std::to_string(own) + " batches and executes " +
                                std::to_string(posts) + " posts; give it a batch for each");
    }
    if (run.batches == 0) continue;
    require(plan.handover_ps >= world.clocks.tick_ps,
            "handover_ps is below the tick: a GPU and its helper would know of each other too early; use more");
    require(run.helper < world.fabric.endpoints, at("runs", r) + " has batches and no helper that is an endpoint");
    require(run.first_batch == batches, at("runs", r) + " has batches that do not follow those of the runs before");
    batches += run.batches;
    for (u32 b = run.first_batch; b < batches; ++b) {
      validate_batch(world, run.helper, b);
      for (u32 i = 0; i < plan.batches[b].posted; ++i) {
        const MessageId m = plan.posted[plan.batches[b].first_posted + i];
        const bool load = b >= run.series(BatchSeries::loads).first;
        series_of[world.traffic.messages[m].qp].insert({r, load});
        posted_on[world.traffic.messages[m].qp].push_back(m);
      }
    }
  }
  require(batches == plan.batches.size(), "batches are left over that no run has");
  std::vector<u32> names(world.traffic.messages.size(), 0);  // messages and batches for which one waits
  for (const MessageWait& wait : world.traffic.waits) ++names.at(wait.waiting);
  for (const Batch& batch : plan.batches) {
    for (u32 i = 0; i < batch.posted; ++i) ++names.at(plan.posted.at(batch.first_posted + i));
  }
  for (MessageId m = 0; m < names.size(); ++m)
    require(world.traffic.messages[m].waits_for <= names[m],
            at("messages", m) + " waits for more than it names: it would never be posted; name more");
  for (const auto& [qp, posted] : posted_on) {
    require(series_of.at(qp).size() == 1,
            at("qps", qp) + " carries messages of batches of several runs or series; give each its own");
    require(
        std::adjacent_find(posted.begin(), posted.end(), std::greater_equal<>()) == posted.end(),
        at("qps", qp) + " carries messages of batches twice, or in another order than they are posted; reorder them");
  }
}

}  // namespace

void validate(const World& world) {
  validate_clocks(world.clocks);
  validate_links(world.fabric);
  validate_failures(world);
  validate_classes(world.fabric);
  validate_detours(world);
  validate_traffic(world);
  validate_tcp(world.tcp);
  validate_control(world.congestion);
  validate_collectives(world.collectives);
  validate_programs(world);
}

}  // namespace heddle::oracle
