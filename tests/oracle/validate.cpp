#include "tests/oracle/validate.hpp"

#include <stdexcept>
#include <string>

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

}  // namespace

void validate(const World& world) {
  validate_clocks(world.clocks);
  validate_links(world.fabric);
  validate_failures(world);
  validate_classes(world.fabric);
  validate_traffic(world);
  validate_tcp(world.tcp);
  validate_control(world.congestion);
  validate_collectives(world.collectives);
}

}  // namespace heddle::oracle
