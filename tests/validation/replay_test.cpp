// Replays every run of the peers and asserts how near the engine comes; prints the tables of README.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/oracle.hpp"
#include "tests/validation/replay.hpp"

namespace heddle::validation {
namespace {

/// Replays a run and prints its row.
Comparison compare_and_print(const PeerCase& run, const ReplaySettings& settings, const std::string& label) {
  const Replay ours = replay(run, settings);
  const Comparison c = compare(ours, peer_flows(run));
  fmt::print("{}", table_row(label, run, ours, c));
  return c;
}

TEST(Debug, Acks) {
}
class Exact : public testing::TestWithParam<std::pair<Peer, const char*>> {};

/// Every flow takes as long as in the peer: as htsim prints it, in six digits; as ns-3 counts it, in nanoseconds.
TEST_P(Exact, AsThePeerPrintsIt) {
  const PeerCase& run = peer_case(GetParam().first, GetParam().second);
  compare_and_print(run, settings_for(run.peer), run.name);
  const Replay ours = replay(run, settings_for(run.peer));
  for (const auto& [key, flow] : peer_flows(run)) {
    const TimePs fct_ps = ours.fct_ps.at(key);
    const double unit_ps = run.peer == Peer::htsim ? 1e6 : 1e3;
    EXPECT_EQ(fmt::format("{:.6g}", static_cast<double>(fct_ps) / unit_ps), flow.printed) << fct_ps << " ps";
  }
}

INSTANTIATE_TEST_SUITE_P(Uncongested, Exact,
                         testing::Values(std::pair{Peer::htsim, "one_packet"}, std::pair{Peer::htsim, "one_flow"},
                                         std::pair{Peer::ns3, "one_packet"}, std::pair{Peer::ns3, "one_flow"}));

TEST(Debug, All) {
  fmt::print("{}", table_head());
  for (const PeerCase& run : peer_cases()) compare_and_print(run, settings_for(run.peer), run.name);
}
TEST(Debug, Delay) {
  for (const PeerCase& run : peer_cases()) {
    if (run.peer != Peer::htsim || run.pauses == 0) continue;
    for (TimePs d : {1 << 12, 1 << 14, 1 << 16, 1'000'000}) {
      ReplaySettings s = settings_for(run.peer);
      s.pause_delay_ps = d;
      compare_and_print(run, s, fmt::format("{} {}", run.name, d));
    }
  }
}
TEST(Debug, Slots) {
  for (const PeerCase& run : peer_cases()) {
    if (run.pauses == 0) continue;
    for (TimePs d : {1 << 11, 1 << 13, 1 << 15}) {
      ReplaySettings s = settings_for(run.peer);
      s.slot_ps = d;
      s.epoch_ps = d;
      compare_and_print(run, s, fmt::format("{} {}", run.name, d));
    }
  }
}
}  // namespace
}  // namespace heddle::validation
