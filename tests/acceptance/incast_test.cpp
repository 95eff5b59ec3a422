// Must show 4, first half: 16:1 incast of greedy senders without congestion control loses nothing and its PFC reaches
// the senders' NICs, each pause an event in the result file; a receiver-admitted Gather of the same bytes over the same
// fabric causes no PFC at all.
//
// "No PFC" needs an even load on the uplinks: 128 queue pairs under e_ecmp (60 seeds tried: none pauses). With plain
// ECMP and one path per sender, three of 16 senders often meet on one uplink; their 6 MiB behind one ingress pass its
// XOFF.
#include <gtest/gtest.h>

#include "host/config/config.hpp"
#include "host/run/simulation.hpp"
#include "host/scenario/build.hpp"
#include "io/results/reader.hpp"
#include "io/results/writer.hpp"
#include "kernels/base/units.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/scratch.hpp"

namespace heddle::acceptance {
namespace {

constexpr u64 kBytes = u64{512} << 20;  // both workloads

u64 lost(const Totals& t) { return t.drops[0] + t.drops[1] + t.drops[2]; }

/// The link whose ingress account decided a pause.
const Link& paused_link(const World& world, const Event& event) {
  const Fabric& f = world.fabric;
  return f.links[f.links[f.nodes[event.node].first_link + event.port].reverse];
}

struct Paused {
  u64 nics = 0, uplinks = 0;  // pause events, by what they stop
  std::vector<bool> senders;
};

Paused count_pauses(const World& world, const Outcome& outcome) {
  Paused paused;
  paused.senders.resize(world.fabric.endpoints);
  for (const Event& e : outcome.events) {
    if (e.kind != EventKind::pause) continue;
    const Link& link = paused_link(world, e);
    if (link.src < world.fabric.endpoints) {
      ++paused.nics;
      paused.senders[link.src] = true;
    } else {
      ++paused.uplinks;
    }
  }
  return paused;
}

TEST(Incast, GreedySendersArePausedAndNothingIsLost) {
  for (u64 seed = 1; seed <= 3; ++seed) {
    const World world = world_of(greedy_incast(seed));
    EngineOptions options;
    options.recorded_kinds = kinds({EventKind::pause, EventKind::resume, EventKind::drop});
    Engine engine(world, options);
    while (engine.advance(kNever)) {
    }
    std::vector<LinkCounters> counters(world.fabric.links.size());
    engine.link_counters(counters);
    const Outcome outcome = engine.outcome();
    ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    EXPECT_EQ(lost(outcome.totals) + outcome.totals.retransmits, 0u);
    EXPECT_EQ(outcome.totals.pauses, outcome.totals.resumes) << "every pause ended";
    const Paused paused = count_pauses(world, outcome);
    EXPECT_GT(paused.nics, 0u);
    EXPECT_GT(paused.uplinks, 0u);
    u64 senders = 0, stopped_ps = 0;
    for (u32 e = 1; e < 17; ++e) {
      senders += paused.senders[e] ? 1 : 0;
      stopped_ps += counters[world.fabric.nodes[e].first_link].paused_ps;
      EXPECT_EQ(counters[world.fabric.nodes[e].first_link].paused_ps > 0, bool{paused.senders[e]});
    }
    std::printf("  seed %d: %d pauses of NICs (%d of 16 senders, %.1f us each on average), %d of uplinks\n",
                static_cast<int>(seed), static_cast<int>(paused.nics), static_cast<int>(senders),
                static_cast<double>(stopped_ps) / 16e6, static_cast<int>(paused.uplinks));
    EXPECT_GE(senders, 14u) << "nearly all senders are stopped at their NICs";
    // The receiver's link never idles meanwhile: all bytes at wire speed, plus less than 1 % for start and end.
    const TimePs wire_ps = ser_ps(kBytes / 4096 * 4198, kSpeed400G);
    EXPECT_LT(outcome.end_ps, wire_ps + wire_ps / 100);
  }
}

/// The run of `heddle run configs/incast.toml`.
TEST(Incast, PausesAreEventsInTheFile) {
  const Config config = load_config("configs/incast.toml");
  const World world = build_world(config);
  const std::string path = test::fresh_file("incast.h5");
  Simulation simulation(world, {}, config.output);
  ResultSettings settings;
  settings.overwrite = true;
  ResultWriter writer(path, world, settings);
  const SimulationResult result = simulation.run(&writer, [](TimePs, const Totals&) { return Wish::go_on; });
  writer.finish(result.outcome, result.perf);
  const Totals& totals = result.outcome.totals;
  EXPECT_EQ(lost(totals), 0u);
  EXPECT_GT(totals.pauses, 0u);
  const RunSummary summary = read_summary(path);
  EXPECT_EQ(summary.pfc_events, totals.pauses + totals.resumes);
  EXPECT_EQ(summary.drop_events, 0u);
  EXPECT_EQ(summary.status, "complete");
}

// At most 32 MiB are in flight. They wait at the receiver's RTSW, whose dynamic XOFF (1/8 of what is free of a half of
// 113.7 MiB) is 4 to 6 MB then, spread over 18 uplinks by 128 queue pairs.
TEST(Incast, ReceiverAdmittedGatherCausesNoPfc) {
  for (u64 seed = 1; seed <= 4; ++seed) {
    const World world = world_of(admitted_gather(seed));
    ASSERT_EQ(world.collectives.connections.size(), 16u * 2);
    ASSERT_EQ(world.collectives.collectives[0].slots, 8u);
    const Outcome outcome = run_engine(world);
    ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    EXPECT_EQ(outcome.totals.data_packets_received, kBytes / 4096);
    EXPECT_EQ(outcome.totals.pauses, 0u) << "seed " << seed;
    EXPECT_EQ(lost(outcome.totals), 0u);
    const TimePs wire_ps = ser_ps(kBytes / 4096 * 4198, kSpeed400G);
    EXPECT_LT(outcome.end_ps, wire_ps + wire_ps / 50) << "and it is no slower";
  }
}

}  // namespace
}  // namespace heddle::acceptance
