// Replays every run of the peers and asserts how near the engine comes; prints the first table of RESULTS.md. README.md
// says why each tolerance is what it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/oracle.hpp"
#include "tests/validation/replay.hpp"

namespace heddle::validation {
namespace {

/// A run, and by how many percent of the peer's the engine's value may be off.
struct Tolerance {
  Peer peer;
  const char* name;
  double makespan = 0, mean = 0, pauses = 0;
};

void PrintTo(const Tolerance& t, std::ostream* out) { *out << t.name << " of " << name_of(t.peer); }

std::string test_name(const testing::TestParamInfo<Tolerance>& info) {
  return std::string(info.param.peer == Peer::htsim ? "htsim_" : "ns3_") + info.param.name;
}

Replay replay_and_print(const PeerCase& run) {
  const Replay ours = replay(run, settings_for(run.peer));
  fmt::print("{}{}", table_head(), table_row(run.name, run, ours, compare(ours, peer_flows(run))));
  return ours;
}

class Uncongested : public testing::TestWithParam<Tolerance> {};

/// htsim prints six digits of microseconds, ns-3 whole nanoseconds: digit by digit the same.
TEST_P(Uncongested, FlowsTakeWhatThePeerPrints) {
  const PeerCase& run = peer_case(GetParam().peer, GetParam().name);
  const Replay ours = replay_and_print(run);
  const double unit_ps = run.peer == Peer::htsim ? 1e6 : 1e3;
  for (const auto& [key, flow] : peer_flows(run)) {
    const TimePs fct_ps = ours.fct_ps.at(key);
    EXPECT_EQ(fmt::format("{:.6g}", static_cast<double>(fct_ps) / unit_ps), flow.printed) << fct_ps << " ps";
    if (run.peer == Peer::ns3) {
      EXPECT_EQ(fct_ps, flow.fct_ps);
    }
  }
  EXPECT_EQ(ours.totals.pauses, 0u);
}

INSTANTIATE_TEST_SUITE_P(Peers, Uncongested,
                         testing::Values(Tolerance{Peer::htsim, "one_packet"}, Tolerance{Peer::htsim, "one_flow"},
                                         Tolerance{Peer::htsim, "fat_tree_one_flow"},
                                         Tolerance{Peer::htsim, "k8_one_flow"}, Tolerance{Peer::ns3, "one_packet"},
                                         Tolerance{Peer::ns3, "one_flow"}),
                         test_name);

/// All six digits hide is below 0.5 ns: htsim's closed form says the rest (sizes 4160 and 64 B, 4 links of 1 us).
TEST(HtsimClosedForm, ToThePicosecond) {
  for (const auto& [name, packets] : {std::pair{"one_packet", 1}, std::pair{"one_flow", 250}}) {
    const Replay ours = replay(peer_case(Peer::htsim, name), settings_for(Peer::htsim));
    EXPECT_EQ(ours.fct_ps.begin()->second, (packets + 3) * 83'200 + 4 * 1'000'000 + 4 * (1'280 + 1'000'000)) << name;
  }
}

class Congested : public testing::TestWithParam<Tolerance> {};

TEST_P(Congested, IsNear) {
  const Tolerance& allowed = GetParam();
  const PeerCase& run = peer_case(allowed.peer, allowed.name);
  const Replay ours = replay_and_print(run);
  const Comparison c = compare(ours, peer_flows(run));
  EXPECT_LE(std::abs(c.makespan_percent), allowed.makespan);
  EXPECT_LE(std::abs(c.mean_percent), allowed.mean);
  const double pauses = static_cast<double>(ours.totals.pauses), peer_pauses = static_cast<double>(run.pauses);
  EXPECT_LE(std::abs(pauses - peer_pauses), allowed.pauses / 100 * peer_pauses);
}

// An incast ends when its bottleneck has sent everything, whoever is paused: only printed digits differ.
INSTANTIATE_TEST_SUITE_P(Peers, Congested,
                         testing::Values(Tolerance{Peer::htsim, "incast8_1MB", 0.001, 3, 5},
                                         Tolerance{Peer::htsim, "incast8_10MB", 0.001, 1, 5},
                                         Tolerance{Peer::htsim, "permutation128", 2, 1, 5},
                                         Tolerance{Peer::htsim, "fat_tree_permutation128", 2, 1, 5},
                                         Tolerance{Peer::ns3, "incast8_1MB", 0, 1, 10},
                                         Tolerance{Peer::ns3, "incast8_1MB_dcqcn", 0, 1, 10},
                                         Tolerance{Peer::ns3, "incast8_10MB", 0, 1, 5}),
                         test_name);

/// The engine that these figures come from does what kernels/MODEL.md says, also with the peers' settings.
TEST(Replay, OracleAgrees) {
  for (const PeerCase& run : peer_cases()) {
    if (run.name != "incast8_1MB" && run.name != "incast8_1MB_dcqcn") continue;
    const World world = world_of(run, settings_for(run.peer));
    EXPECT_EQ(run_to_end(run, world, {}).event_digest, simulate(world, {}).event_digest)
        << run.name << " of " << name_of(run.peer);
  }
}

}  // namespace
}  // namespace heddle::validation
