// The generator draws every feature, and everything that can happen happens in its worlds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "host/config/config.hpp"
#include "host/config/source.hpp"
#include "host/scenario/controller/demands.hpp"
#include "host/scenario/controller/settings.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/routing/downlinks.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/state/model.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/world/congestion_parameters.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/coverage.hpp"
#include "tests/property/near_event.hpp"
#include "tests/property/shape.hpp"
#include "tests/property/toml_tree.hpp"
#include "tests/property/world_case.hpp"
#include "tests/property/world_generator.hpp"

namespace heddle::property {
namespace {

TEST(WorldGenerator, DrawsEveryCongestionControl) {
  std::set<std::string, std::less<>> drawn;
  for (u64 seed = 1; seed <= 400; ++seed) drawn.insert(draw_shape(seed).control);
  EXPECT_TRUE(drawn.contains(std::string(kNoControl)));
  for (const ControlInfo& control : kControls) EXPECT_TRUE(drawn.contains(control.name)) << control.name;
}

/// Data by TCP, with and without marks, also in class lossless and beside collectives.
TEST(WorldGenerator, SomeDataGoByTcp) {
  u32 worlds = 0, dctcp = 0, cubic = 0, lossless = 0, beside_jobs = 0, unlike = 0;
  for (u64 seed = 1; seed <= 600; ++seed) {
    const World world = build(case_of_seed(seed));
    const auto by_tcp = [&](const Qp& qp) {
      return world.fabric.classes[qp.traffic_class].transport == Transport::tcp;
    };
    unlike += draw_shape(seed).has_tcp() && world.clocks.horizon_ps == kNever;
    if (std::ranges::none_of(world.traffic.qps, by_tcp)) continue;
    ++worlds;
    dctcp += world.tcp.control == TcpControl::dctcp;
    cubic += world.tcp.control == TcpControl::cubic;
    lossless += world.fabric.classes[1].transport == Transport::tcp;
    beside_jobs += !world.collectives.jobs.empty();
  }
  EXPECT_GE(worlds, 60u);
  EXPECT_GE(dctcp, 20u);
  EXPECT_GE(cubic, 10u);
  EXPECT_GE(lossless, 10u);
  EXPECT_GE(beside_jobs, 5u);
  EXPECT_EQ(unlike, 0u) << "worlds with TCP need a horizon";
}

TEST(WorldGenerator, SomeTrainingJobsAreGivenTimes) {
  u32 worlds = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    const World world = build(case_of_seed(seed));
    worlds +=
        std::ranges::any_of(world.programs.ops, [](const Op& op) { return op.kind == OpKind::delay && op.ps > 0; });
  }
  EXPECT_GE(worlds, 5u);
}

/// Their programs wait for batches of one series while those of the other are under way.
TEST(WorldGenerator, SomeJobsReadDataWhileTheyWriteCheckpoints) {
  u32 worlds = 0;
  for (u64 seed = 1; seed <= 2000; ++seed) {
    const WorldCase one = case_of_seed(seed);
    if (one.toml.find("[job.training.data]") == std::string::npos) continue;
    if (one.toml.find("blocking = false") == std::string::npos) continue;
    const World world = build(one);
    worlds += std::ranges::any_of(world.programs.runs, [](const ProgramRun& run) {
      return run.series(BatchSeries::checkpoints).count > 1 && run.series(BatchSeries::loads).count > 1;
    });
  }
  EXPECT_GE(worlds, 5u);
}

TEST(WorldGenerator, SomeRunsArePlain) {  // their passes are compiled apart (state/plain.hpp)
  u32 plain = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    Model model;
    instantiate(build(case_of_seed(seed)), {.trace = true}, model);
    plain += is_plain_run(model.view.settings);
  }
  EXPECT_GE(plain, 20u);
}

/// Spines that pin paths to several cables of one rack, and share its downlinks with other spines.
TEST(WorldGenerator, SomePathsArePinnedToParallelCables) {
  u32 worlds = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    const World world = build(case_of_seed(seed));
    if (!any_policy(world, &PolicyInfo::by_downlink)) continue;
    const std::vector<u32> groups = groups_by_switch(world), spines = spines_of_groups(world);
    worlds += std::ranges::any_of(world.fabric.links, [&](const Link& link) {
      const u32 group = rack_below_link(world, world.fabric.links[link.reverse].reverse, groups);
      return group != kNone && spines[group] > 1 && policy_at(world, link.src).by_downlink &&
             world.routing.next_hops(link.src, group).size() > 1;
    });
  }
  EXPECT_GE(worlds, 3u);
}

/// A controller that measures counts packets without payload, too.
TEST(WorldGenerator, SomeRacksAreSentNothingButEmptySlices) {
  u32 worlds = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    const World world = build(case_of_seed(seed));
    worlds += demands_are_measured(world) && pairs_of_workload(world).size() > demands_of_workload(world).size();
  }
  EXPECT_GE(worlds, 3u);
}

/// A generator that has become too simple would let every engine pass.
TEST(WorldGenerator, EverythingHappens) {
  Coverage coverage;
  for (u64 seed = 1; seed <= 600; ++seed) coverage.add(simulate(build(case_of_seed(seed)), {}));
  std::printf("%s\n", coverage.line().c_str());
  const Totals& totals = coverage.totals;
  EXPECT_GT(totals.marks, 0u);
  EXPECT_GT(totals.pauses, 0u);
  EXPECT_GT(totals.cnps, 0u);
  EXPECT_GT(totals.retransmits, 0u);
  EXPECT_GT(totals.timeouts, 0u);
  EXPECT_GT(totals.data_packets_out_of_order, 0u);
  EXPECT_GT(totals.data_packets_duplicate, 0u);
  EXPECT_GT(totals.flowlets, 0u);
  EXPECT_GT(totals.flowlet_collisions, 0u);
  EXPECT_GT(totals.path_changes, 0u);
  for (u32 cause = 0; cause < kDropCauses; ++cause) EXPECT_GT(totals.drops[cause], 0u) << "cause " << cause;
  EXPECT_GT(coverage.messages_acked, 0u);
  EXPECT_GT(coverage.ranks_finished, 0u);
  for (EndReason reason : {EndReason::complete, EndReason::horizon, EndReason::stalled, EndReason::qp_failed}) {
    EXPECT_GT(coverage.reasons[static_cast<u32>(reason)], 0u) << "reason " << static_cast<u32>(reason);
  }
}

/// Several fabrics, each with traffic of its own, also where NICs have several ports.
TEST(WorldGenerator, SeveralFabrics) {
  u64 worlds = 0, with_ports = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    const World world = build(case_of_seed(seed));
    if (world.fabric.others.empty()) continue;
    ++worlds;
    with_ports += world.fabric.nic_ports > 1;
    EXPECT_TRUE(
        std::ranges::any_of(world.traffic.qps, [&](const Qp& qp) { return qp.src >= count_gpus(world.fabric); }));
  }
  EXPECT_GE(worlds, 20u);
  EXPECT_GE(with_ports, 1u);
}

/// The worlds have every option of collectives.
TEST(WorldGenerator, CollectivesOfEveryKind) {
  u64 in_switch = 0, uneven = 0, eager = 0, whole_chunks = 0, slowed_copies = 0, bound_copies = 0, barriers = 0,
      ring_relays = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    const World world = build(case_of_seed(seed));
    const CollectivePlan& plan = world.collectives;
    const auto any = [&](const auto& is) { return std::ranges::any_of(plan.collectives, is); };
    in_switch += any([](const Collective& c) { return c.algorithm == Algorithm::nvls; });
    uneven += any([](const Collective& c) { return c.schedules > 1; });
    eager += any([](const Collective& c) { return c.eager; });
    bound_copies += any([](const Collective& c) { return c.channel_ps_per_byte_q16 > 65536; });
    barriers += any([](const Collective& c) { return c.kind == CollectiveKind::barrier; });
    ring_relays += any([&](const Collective& c) {
      if (c.phases == 1) return false;
      const ChannelEndGroup& group = plan.jobs[c.job].groups[c.group];
      const auto first = plan.channel_ends.begin() + group.first_channel_end;
      return std::any_of(first, first + group.channel_ends, [](const ChannelEnd& end) { return end.relays; });
    });
    whole_chunks += std::ranges::any_of(plan.jobs, [](const Job& job) { return job.slices_per_cts > 1; });
    slowed_copies += !world.programs.tasks.empty() &&
                     plan.settings.copy_computing_ps_per_byte_q16 != plan.settings.copy_ps_per_byte_q16;
  }
  for (const u64 worlds : {in_switch, uneven, eager, whole_chunks, slowed_copies, bound_copies, barriers, ring_relays})
    EXPECT_GE(worlds, 3u);
}

/// Some horizons are within two ticks of the end that the world would reach by itself, on either side.
TEST(WorldGenerator, HorizonsNearTheEnd) {
  std::set<EndReason> reasons;
  for (u64 seed = 1; seed <= 3000; ++seed) {
    const RandomWorld random = random_world(seed);
    if (random.near_event) continue;  // fail_at_an_event() changed other values than the horizon
    WorldCase world_case = case_of_seed(seed);
    if (world_case.toml == random.toml) continue;
    reasons.insert(simulate(build(world_case), {}).reason);
  }
  EXPECT_TRUE(reasons.contains(EndReason::horizon));
  EXPECT_TRUE(reasons.contains(EndReason::complete));
  EXPECT_TRUE(reasons.contains(EndReason::stalled));
}

TEST(WorldGenerator, FailuresAtTheInstantOfSomething) {
  u64 asked = 0, moved = 0;
  for (u64 seed = 1; seed <= 600; ++seed) {
    RandomWorld random = random_world(seed);
    if (!random.near_event) continue;
    ++asked;
    WorldCase world_case;
    world_case.name = "seed_" + std::to_string(seed);
    world_case.toml = random.toml;
    world_case.files = std::move(random.files);
    fail_at_an_event(seed, world_case);
    moved += read_toml_text(world_case.toml, "moved") != read_toml_text(random.toml, "drawn");
  }
  EXPECT_GE(asked, 20u);
  EXPECT_GE(moved * 2, asked);
}

TEST(WorldGenerator, AllToAllsInClosedForm) {
  u64 worlds = 0, beside_messages = 0, two_jobs = 0, two_closed = 0, out_of_order = 0, slow = 0, cnps = 0, failures = 0;
  for (u64 seed = 1; seed <= 2400; ++seed) {
    const World world = build(case_of_seed(seed));
    u64 closed = 0;
    bool sorted = true;
    std::set<EndpointId> ranks;
    for (const Job& job : world.collectives.jobs) {
      if (!job.all_pairs) continue;
      ++closed;
      sorted = sorted && std::is_sorted(job.ranks.begin(), job.ranks.end());
      ranks.insert(job.ranks.begin(), job.ranks.end());
    }
    if (closed == 0) continue;
    ++worlds;
    beside_messages += !world.traffic.messages.empty();
    two_jobs += world.collectives.jobs.size() > 1;
    two_closed += closed > 1;
    out_of_order += !sorted;
    slow += std::any_of(world.traffic.slow_receivers.begin(), world.traffic.slow_receivers.end(),
                        [&](const SlowReceiver& receiver) { return ranks.contains(receiver.endpoint); });
    if (world.congestion.none() && world.roce.rto_tries > 3) continue;  // neither CNPs nor failures
    const Outcome outcome = simulate(world, {});
    cnps += outcome.totals.cnps > 0;
    failures += outcome.reason == EndReason::qp_failed;
  }
  fmt::print(
      "{} worlds: {} with messages, {} with 2 jobs, {} with 2 in closed form, {} out of order, {} with slow ranks, "
      "{} with CNPs, {} failed\n",
      worlds, beside_messages, two_jobs, two_closed, out_of_order, slow, cnps, failures);
  EXPECT_GE(worlds, 100u);
  EXPECT_GE(beside_messages, 20u);
  EXPECT_GE(two_jobs, 20u);
  EXPECT_GE(two_closed, 10u);
  EXPECT_GE(out_of_order, 10u);
  EXPECT_GE(slow, 10u);
  EXPECT_GE(cnps, 20u);
  EXPECT_GE(failures, 1u);
}

TEST(WorldGenerator, ASeedIsAlwaysTheSameWorld) {
  EXPECT_EQ(text_of(case_of_seed(7)), text_of(case_of_seed(7)));
  EXPECT_NE(text_of(case_of_seed(7)), text_of(case_of_seed(8)));
}

/// Returns "section.key" and, for words, "section.key=word"; indices of lists are left out.
std::set<std::string> drawn(u64 seeds) {
  std::set<std::string> names;
  for (u64 seed = 1; seed <= seeds; ++seed) {
    toml::table root = read_toml_text(case_of_seed(seed).toml, "drawn");
    for (const TomlPath& path : all_paths(root)) {
      std::string name;
      for (const std::string& part : path) {
        if (part[0] >= '0' && part[0] <= '9') continue;
        name += (name.empty() ? "" : ".") + part;
      }
      names.insert(name);
      if (const auto word = find(root, path)->value<std::string>()) names.insert(name + "=" + *word);
    }
  }
  return names;
}

/// Returns every parameter and every word that one may take, in the same spelling.
std::set<std::string> declared() {
  Config config = config_with_every_section();
  std::set<std::string> names;
  for (const Section& section : sections_of(config)) {
    std::string prefix;
    for (char letter : section.path) {
      if (letter < '0' || letter > '9') prefix += letter;
    }
    while (prefix.find("..") != std::string::npos) prefix.replace(prefix.find(".."), 2, ".");
    if (!prefix.empty() && prefix.back() != '.') prefix += '.';
    for (const BoundParameter& parameter : section.parameters) {
      const std::string name = prefix + std::string(parameter.key);
      names.insert(name);
      const std::string choices = std::string(parameter.choices) + "|";
      for (std::size_t at = 0, end; (end = choices.find('|', at)) != std::string::npos; at = end + 1) {
        if (end > at) names.insert(name + "=" + choices.substr(at, end - at));
      }
    }
  }
  return names;
}

/// A parameter that no world sets is a feature that no test compares. Add its draw to the function that writes its
/// section, or state here why it needs none.
TEST(WorldGenerator, DrawsEveryParameter) {
  const std::set<std::string> seen = drawn(1000);
  const std::set<std::string> not_simulated = {
      "simulation.tick",              // the variants take smaller ones
      "class.control.strict",         // must be true
      "class.control.weight",         // no effect on a strict class
      "class.control.transport=tcp",  // refused
      // how much of a foreign file is read: tests/host/scenario/topology, tests/io/formats
      "topology.first_hosts",
      "workload.first_flows",
      // unit of a matrix' start times: tests/io, tests/host/scenario/workload
      "workload.start_unit",
      "workload.start_unit=ps",
      "workload.start_unit=us",
      // more formats of the contents of hpcc and goal: tests/io, tests/host/scenario/workload/trace
      "topology.kind=simai",
      "topology.kind=htsim",
      "job.trace.format=chakra",
      "job.trace.groups_file",
      "job.trace.memory_rate",
      "job.trace.peak_tflops",
      // variants with ranks distribute nodes randomly; cuts are tested in tests/partition/cut
      "partition.policy",
      // random worlds over each of them: tests/ranks
      "partition.exchange",
      "partition.exchange=auto",
      "partition.exchange=node",
      "partition.exchange=ranks",
      // variants are saved and restarted; tests/ranks tests the times of saving
      "checkpoint.every",
      "checkpoint.every_wall",
      "partition.policy=metis",
      "partition.policy=blocks",
      // drawn models are small ones of their own, with times as given: tests/host/scenario/workload/training
      // paths are given in imported graphs, by routing.policy
      "tier.leaf.policy=explicit",
      "tier.spine.policy=explicit",
      "tier.core.policy=explicit",
      "job.training.model=none",
      "job.trace.format=none",
      "job.training.model=llama3_8b",
      "job.training.model=llama3_70b",
      "job.training.model=llama3_405b",
      "job.training.model=mixtral_8x7b",
  };
  const std::set<std::string> all = declared();
  for (const std::string& name : all) {
    if (name.starts_with("output.") || not_simulated.contains(name)) continue;
    constexpr std::string_view kOther = "fabric.";  // its sections are those of the first fabric, with the same code
    if (name.starts_with(kOther) && all.contains(name.substr(kOther.size()))) continue;
    EXPECT_TRUE(seen.contains(name)) << name << " is never drawn";
  }
}

}  // namespace
}  // namespace heddle::property
