#include "host/check/warnings/unused_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "host/config/config.hpp"
#include "host/config/given_keys.hpp"
#include "io/formats/formats.hpp"

namespace heddle {
namespace {

bool never_at_random(const Config& config, const World&) { return config.failure_settings.mtbf_hours == 0; }

bool nothing_fails(const Config& config, const World& world) {
  return config.failures.empty() && never_at_random(config, world);
}

bool no_flow_file(const Config& config, const World&) { return config.workload_files.flow_file.empty(); }

bool no_messages(const Config&, const World& world) { return world.traffic.messages.empty(); }

bool no_jobs(const Config&, const World& world) { return world.collectives.jobs.empty(); }

bool no_series(const Config& config, const World&) { return config.output.series_interval_ps == 0; }

bool adapts_by_packet(const Config& config, const World&) {
  return std::ranges::any_of(config.routing.values, [](const PolicyValue& v) {
    return v.policy->name == "adaptive" && v.parameter->key == "per" && v.word == "packet";
  });
}

bool lacks(const World& world, std::string_view tier) {
  return std::ranges::none_of(world.fabric.nodes, [&](const Node& node) {
    return world.fabric.tiers[static_cast<u32>(node.tier)].name == tier;
  });
}

bool no_rtsws(const Config&, const World& world) { return lacks(world, "rtsw"); }
bool no_leaves(const Config&, const World& world) { return lacks(world, "leaf"); }
bool no_cores(const Config&, const World& world) { return lacks(world, "core"); }
bool no_ctsws(const Config&, const World& world) { return lacks(world, "ctsw"); }
bool no_atsws(const Config&, const World& world) { return lacks(world, "atsw"); }

/// In a file's topology distances from hosts decide which tiers there are: there [buffer] may name all of them.
bool is_built(const Config& config) { return find_format("topology.kind", config.fabric.topology.kind) == nullptr; }

bool zones_without_ctsws(const Config& config, const World& world) {
  return is_built(config) && no_ctsws(config, world);
}
bool zones_without_atsws(const Config& config, const World& world) {
  return is_built(config) && no_atsws(config, world);
}

/// A rule for a key, or, with a dot or an underscore at its end, for all keys with that prefix.
struct Rule {
  std::string_view key;
  bool (*unused)(const Config&, const World&);
  std::string_view why;
};

constexpr std::string_view kNotAtRandom = "no cable fails at random, as failures.mtbf_hours is 0",
                           kNoFailure = "nothing fails: there is no [[failure]], and failures.mtbf_hours is 0",
                           kNoFlows = "workload.flow_file names no file",
                           kNoMessages = "there are no messages; collectives have keys of their own in [[job]]",
                           kNoCores = "this fabric has no cores",
                           kNoLeaves = "this fabric is not made of leaves and spines",
                           kNoRtsws = "this fabric has leaves, spines and cores, whose keys are in [tier.NAME]",
                           kNoCtsws = "this fabric has no CTSWs", kNoAtsws = "this fabric has no ATSWs",
                           kByPacket = "routing.adaptive.per is \"packet\", which knows no flowlets";

constexpr std::array kRules = {
    Rule{"failures.mttr", never_at_random, kNotAtRandom},
    Rule{"failures.cables", never_at_random, kNotAtRandom},
    Rule{"failures.seed", never_at_random, kNotAtRandom},
    Rule{"failures.until", never_at_random, kNotAtRandom},
    Rule{"failures.detect", nothing_fails, kNoFailure},
    Rule{"failures.converge", nothing_fails, kNoFailure},
    Rule{"workload.flow_format", no_flow_file, kNoFlows},
    Rule{"workload.first_flows", no_flow_file, kNoFlows},
    Rule{"workload.qps_per_pair", no_messages, kNoMessages},
    Rule{"workload.jitter_packets", no_messages, kNoMessages},
    Rule{"collective.", no_jobs, "there is no [[job]], and so no collective"},
    Rule{"output.link_series", no_series, "output.series_interval is 0, so no series is taken"},
    Rule{"routing.adaptive.gap", adapts_by_packet, kByPacket},
    Rule{"routing.adaptive.entries", adapts_by_packet, kByPacket},
    Rule{"tier.", no_leaves, kNoLeaves},
    Rule{"tier.core.", no_cores, kNoCores},
    Rule{"layer.spine_core.", no_cores, kNoCores},
    Rule{"topology.fat_tree.cores", no_cores, kNoCores},
    Rule{"topology.fat_tree.uplinks_per_spine", no_cores, kNoCores},
    Rule{"topology.rail_optimised.cores", no_cores, kNoCores},
    Rule{"topology.rail_optimised.uplinks_per_spine", no_cores, kNoCores},
    Rule{"routing.rtsw", no_rtsws, kNoRtsws},
    Rule{"buffer.rtsw.", no_rtsws, kNoRtsws},
    Rule{"ecn.tiers", no_rtsws, kNoRtsws},
    Rule{"routing.ctsw", no_ctsws, kNoCtsws},
    Rule{"buffer.ctsw.", zones_without_ctsws, kNoCtsws},
    Rule{"link.rtsw_ctsw_", no_ctsws, kNoCtsws},
    Rule{"latency.ctsw_", no_ctsws, kNoCtsws},
    Rule{"routing.atsw", no_atsws, kNoAtsws},
    Rule{"buffer.atsw.", zones_without_atsws, kNoAtsws},
    Rule{"link.ctsw_atsw_", no_atsws, kNoAtsws},
    Rule{"latency.atsw_", no_atsws, kNoAtsws},
};

bool is_of(const Rule& rule, std::string_view key) {
  const bool several = rule.key.ends_with('.') || rule.key.ends_with('_');
  return several ? key.starts_with(rule.key) : key == rule.key;
}

/// "job.3.slots", ".slots": 3
std::optional<u32> job_with(std::string_view key, std::string_view end) {
  constexpr std::string_view kBegin = "job.";
  if (!key.starts_with(kBegin) || !key.ends_with(end)) return std::nullopt;
  u32 job = 0;
  std::from_chars(key.data() + kBegin.size(), key.data() + key.size() - end.size(), job);
  return job;
}

/// Whether job.slots matters: NCCL's buffers of other protocols have their own slots.
bool slots_are_of_use(const CollectivePlan& plan, u32 job) {
  return std::ranges::any_of(plan.collectives, [&](const Collective& c) {
    return plan.jobs[c.job].number == job && !c.composed && c.protocol == Protocol::simple;
  });
}

/// Whether GPUs of a job send what others of their server have.
bool has_relays(const CollectivePlan& plan, u32 number) {
  return std::ranges::any_of(plan.jobs, [&](const Job& job) {
    return job.number == number && std::ranges::any_of(job.groups, [&](const ChannelEndGroup& group) {
             const auto first = plan.channel_ends.begin() + group.first_channel_end;
             return std::any_of(first, first + group.channel_ends, [](const ChannelEnd& end) { return end.relays; });
           });
  });
}

std::string_view why_unused(const std::string& key, const Config& config, const World& world) {
  for (const Rule& rule : kRules) {
    if (is_of(rule, key) && rule.unused(config, world)) return rule.why;
  }
  const std::optional<u32> slots = job_with(key, ".slots"), pxn = job_with(key, ".pxn");
  if (slots && !slots_are_of_use(world.collectives, *slots))
    return "no collective of the job has the protocol simple, and the others have slots of their own";
  if (pxn && !has_relays(world.collectives, *pxn))
    return "no all_to_all of the job has several ranks in each of several servers, as many in each";
  return "";
}

}  // namespace

std::vector<std::string> unused_keys(const Config& config, std::span<const std::string> sets, const World& world) {
  std::vector<std::string> warnings;
  for (const GivenKey& given : given_keys(config, sets)) {
    const std::string_view why = why_unused(given.key, config, world);
    if (!why.empty())
      warnings.push_back(
          fmt::format("{}: {} has no effect here: {}; remove it, or change that", given.where, given.key, why));
  }
  return warnings;
}

}  // namespace heddle
