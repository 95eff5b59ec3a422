// NICs with several ports: how queue pairs use them, and what happens when a plane dies or a port flaps
// (MODEL.md, 8.10).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

/// Two planes of two leaves with four GPUs; cables of 200G everywhere; GPU 0 sends to GPU 4, in the other rack.
World two_planes(const std::string& roce, const std::string& rest) {
  return world_of(
      "[topology]\nkind = 'two_tier'\n[topology.two_tier]\nplanes = 2\nleaves = 2\ngpus_per_leaf = 4\nspines = 2\n"
      "uplinks_per_leaf = 4\n[link]\nhost_rate = '200 Gb/s'\n[layer.leaf_spine]\nrate = '200 Gb/s'\n"
      "[roce]\n" +
          roce + rest,
      {"workload.jitter_packets=0"});
}

std::string message(const std::string& bytes) { return "[[message]]\nsrc = 0\ndst = 4\nbytes = '" + bytes + "'\n"; }

/// What the ports of an endpoint's NIC have sent, in bytes on the wire.
std::vector<u64> sent_by_port(const World& world, const Outcome& outcome, EndpointId endpoint) {
  std::vector<u64> sent;
  for (u32 p = 0; p < world.fabric.nic_ports; ++p)
    sent.push_back(outcome.links[world.fabric.nodes[endpoint].first_link + p].sent_bytes);
  return sent;
}

TEST(Planes, QueuePairsTakeThePortsInTurn) {
  const World world =
      two_planes("", "[workload]\nqps_per_pair = 3\n" + message("1 MiB") + message("1 MiB") + message("2 MiB"));
  const Outcome outcome = run_engine(world, {});
  const std::vector<u64> sent = sent_by_port(world, outcome, 0);
  EXPECT_NEAR(static_cast<double>(sent[1]) / static_cast<double>(sent[0]), 3, 0.01)
      << "number 2, 10 in base 2, is at port 1";
  EXPECT_EQ(outcome.totals.timeouts, 0u);
}

/// By packet one message has both ports: it takes half the time that one port needs.
TEST(Planes, PacketsTakeWhicheverPortIsFree) {
  const World one = two_planes("", message("8 MiB"));
  const World both = two_planes("port_choice = 'per_packet'\nrecovery = 'selective_repeat'\n", message("8 MiB"));
  const Outcome by_one = run_engine(one, {}), by_both = run_engine(both, {});
  EXPECT_NEAR(static_cast<double>(by_both.end_ps) / static_cast<double>(by_one.end_ps), 0.5, 0.02);
  const std::vector<u64> sent = sent_by_port(both, by_both, 0);
  EXPECT_NEAR(static_cast<double>(sent[0]), static_cast<double>(sent[1]), 5000);
}

/// A leaf dies for good: the other plane carries all, at half the rate, and no queue pair fails.
TEST(Planes, WithoutAPlaneTheOtherCarriesAll) {
  const std::string failures =
      "[failures]\ndetect = '10 us'\nconverge = '20 us'\n[[failure]]\nnode = 'plane0_leaf0'\nat = '100 us'\n";
  for (const char* choice : {"per_qp", "per_packet"}) {
    const std::string roce = std::string("port_choice = '") + choice +
                             "'\nrecovery = 'selective_repeat'\nrto = '100 us'\n[workload]\nqps_per_pair = 2\n";
    const std::string traffic = message("16 MiB") + message("16 MiB");
    const Outcome whole = run_engine(two_planes(roce, traffic), {});
    const World world = two_planes(roce, failures + traffic);
    const Outcome outcome = run_engine(world, {});
    EXPECT_EQ(outcome.reason, EndReason::complete) << choice << ": " << outcome.explanation;
    // 100 us at both ports, then the rest at one; the queue pair of the dead port waits for its timeout.
    const double rest_ps = static_cast<double>(whole.end_ps) - 100e6;
    EXPECT_NEAR(static_cast<double>(outcome.end_ps), 100e6 + 2 * rest_ps, 0.1 * rest_ps) << choice;
    EXPECT_GT(outcome.links[world.fabric.nodes[4].first_link + 1].sent_bytes, 0u) << "ACKs by plane 1";
  }
}

/// Where the port of the receiver fails, its senders avoid it as soon as all know.
TEST(Planes, SendersAvoidADeadPortOfTheReceiver) {
  const World world = two_planes(
      "recovery = 'selective_repeat'\nrto = '100 us'\n",
      "[failures]\ndetect = '10 us'\nconverge = '20 us'\n[[failure]]\nlink = ['gpu4', 'plane0_leaf1']\nat = '1 ps'\n" +
          message("4 MiB"));
  const Outcome outcome = run_engine(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  const std::vector<u64> sent = sent_by_port(world, outcome, 0);
  EXPECT_GT(sent[0], 450'000u) << "20 us at 200 Gb/s";
  EXPECT_LT(sent[0], 550'000u);
  EXPECT_GT(sent[1], 4'000'000u);
}

/// A receiver whose port is dead admits slices by its other port, also of queue pairs whose home port is the dead one.
TEST(Planes, AdmissionAvoidsADeadPort) {
  const World world = two_planes(
      "recovery = 'selective_repeat'\nrto = '100 us'\n",
      "[failures]\ndetect = '10 us'\nconverge = '20 us'\n[[failure]]\nlink = ['gpu4', 'plane0_leaf1']\nat = '1 ps'\n"
      "[simulation]\nhorizon = '20 ms'\n[[job]]\ngpus = 8\ngpus_per_server = 1\nprotocol = 'simple'\n"
      "qps_per_connection = 2\n[[job.collective]]\nkind = 'all_reduce'\nsizes = ['4 MiB']\n");
  const Outcome outcome = run_engine(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(sent_by_port(world, outcome, 4)[0], 0u) << "CTSs and data of GPU 4 leave by the other plane";
}

TEST(Planes, AFlappingPortLosesNoMessage) {
  for (const char* recovery : {"go_back_n", "selective_repeat"}) {
    const World world =
        two_planes(std::string("rto = '40 us'\nrecovery = '") + recovery + "'\n[workload]\nqps_per_pair = 4\n",
                   "[failures]\ndetect = '3 us'\nconverge = '5 us'\n[[failure]]\nlink = ['gpu0', 'plane0_leaf0']\nat = "
                   "'10 us'\nuntil = "
                   "'20 us'\ntimes = 20\nperiod = '25 us'\n" +
                       message("2 MiB") + message("2 MiB") + message("2 MiB") + message("2 MiB"));
    const Outcome outcome = run_engine(world, {});
    EXPECT_EQ(outcome.reason, EndReason::complete) << recovery << ": " << outcome.explanation;
    EXPECT_GT(outcome.totals.drops[static_cast<u32>(DropCause::link_down)], 100u) << recovery;
    for (const MessageOutcome& m : outcome.messages) EXPECT_GE(m.acked_ps, 0) << recovery;
  }
}

}  // namespace
}  // namespace heddle::acceptance
