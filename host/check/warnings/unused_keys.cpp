#include "host/check/warnings/unused_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "host/base/quantity_text.hpp"
#include "host/config/config.hpp"
#include "host/config/given_keys.hpp"
#include "host/scenario/failures/schedule.hpp"
#include "host/scenario/topology/transports.hpp"
#include "io/formats/formats.hpp"
#include "kernels/world/fabric_of.hpp"

namespace heddle {
namespace {

bool never_at_random(const Config& config, const World&) { return config.failure_settings.mtbf_hours == 0; }

bool none_by_chance(const Config& config, const World& world) {
  return config.failure_settings.dead_fraction == 0 && never_at_random(config, world);
}

bool nothing_fails(const Config& config, const World& world) {
  return config.failures.empty() && never_at_random(config, world);
}

bool no_flow_file(const Config& config, const World&) { return config.workload_files.flow_file.empty(); }

bool no_messages(const Config&, const World& world) { return world.traffic.messages.empty(); }

bool no_jobs(const Config&, const World& world) { return world.collectives.jobs.empty(); }

bool no_tcp(const Config&, const World& world) { return !carries_data(world, Transport::tcp); }

bool tcp_only(const Config&, const World& world) { return carries_tcp_only(world); }

bool no_control_network(const Config& config, const World&) { return !config.control_network.present(); }

bool no_series(const Config& config, const World&) { return config.output.series_interval_ps == 0; }

bool adapts_by_packet(const Config& config, const World&) {
  return std::ranges::any_of(config.routing.values, [](const PolicyValue& v) {
    return v.policy->name == "adaptive" && v.parameter->key == "per" && v.word == "packet";
  });
}

/// A rule for a key, or, with a dot or an underscore at its end, for all keys with that prefix.
struct Rule {
  std::string_view key;
  bool (*unused)(const Config&, const World&);
  std::string_view why;
};

constexpr std::string_view kNotAtRandom = "no cable fails at random, as failures.mtbf_hours is 0",
                           kNoneByChance =
                               "no cable is dead or fails at random, as failures.dead_fraction and "
                               "failures.mtbf_hours are 0",
                           kNoFailure =
                               "nothing fails during the run: there is no [[failure]], and "
                               "failures.mtbf_hours is 0",
                           kNoFlows = "workload.flow_file names no file",
                           kNoMessages = "there are no messages; collectives have keys of their own in [[job]]",
                           kTcpOnly = "all data go by TCP, which has keys of its own in [tcp]",
                           kByPacket = "routing.adaptive.per is \"packet\", which knows no flowlets";

constexpr std::array kRules = {
    Rule{"failures.mttr", never_at_random, kNotAtRandom},
    Rule{"failures.cables", none_by_chance, kNoneByChance},
    Rule{"failures.seed", none_by_chance, kNoneByChance},
    Rule{"failures.until", never_at_random, kNotAtRandom},
    Rule{"failures.detect", nothing_fails, kNoFailure},
    Rule{"failures.converge", nothing_fails, kNoFailure},
    Rule{"workload.flow_format", no_flow_file, kNoFlows},
    Rule{"workload.first_flows", no_flow_file, kNoFlows},
    Rule{"workload.qps_per_pair", no_messages, kNoMessages},
    Rule{"workload.jitter_packets", no_messages, kNoMessages},
    Rule{"collective.", no_jobs, "there is no [[job]], and so no collective"},
    Rule{"tcp.", no_tcp, "no class with data has transport = \"tcp\""},
    // not roce.posting_delay and ack_at_drain, which TCP follows, nor sizes of packets, of which the largest counts
    Rule{"roce.ack_every", tcp_only, kTcpOnly},
    Rule{"roce.window_packets", tcp_only, kTcpOnly},
    Rule{"roce.timers", tcp_only, kTcpOnly},
    Rule{"roce.rto", tcp_only, kTcpOnly},
    Rule{"roce.rto_", tcp_only, kTcpOnly},
    Rule{"roce.recovery", tcp_only, kTcpOnly},
    Rule{"roce.reorder_", tcp_only, kTcpOnly},
    Rule{"roce.port_choice", tcp_only, kTcpOnly},
    Rule{"roce.ack_high_priority", tcp_only, kTcpOnly},
    Rule{"roce.cts_high_priority", tcp_only, kTcpOnly},
    Rule{"roce.congestion_control", tcp_only, kTcpOnly},
    Rule{"dcqcn.", tcp_only, kTcpOnly},
    Rule{"routing.traffic_engineering.network.", no_control_network,
         "routing.traffic_engineering.network.fabric names no [[fabric]]"},
    Rule{"output.link_series", no_series, "output.series_interval is 0, so no series is taken"},
    Rule{"routing.adaptive.gap", adapts_by_packet, kByPacket},
    Rule{"routing.adaptive.entries", adapts_by_packet, kByPacket},
};

/// A rule for the keys of a tier that a fabric may lack.
struct TierRule {
  std::string_view key, tier, why;
  bool of_files = true;  // also where a file is the topology: distances from hosts decide which tiers that has
};

constexpr std::string_view kNoLeaves = "this fabric is not made of leaves and spines",
                           kNoSpines = "this fabric has no spines", kNoCores = "this fabric has no cores",
                           kNoRtsws = "this fabric has leaves, spines and cores, whose keys are in [tier.NAME]",
                           kNoCtsws = "this fabric has no CTSWs", kNoAtsws = "this fabric has no ATSWs";

constexpr std::array kTierRules = {
    TierRule{"tier.", "leaf", kNoLeaves},
    TierRule{"tier.spine.", "spine", kNoSpines},
    TierRule{"tier.core.", "core", kNoCores},
    TierRule{"layer.spine_core.", "core", kNoCores},
    TierRule{"topology.fat_tree.cores", "core", kNoCores},
    TierRule{"topology.fat_tree.uplinks_per_spine", "core", kNoCores},
    TierRule{"topology.rail_optimised.cores", "core", kNoCores},
    TierRule{"topology.rail_optimised.uplinks_per_spine", "core", kNoCores},
    TierRule{"routing.rtsw", "rtsw", kNoRtsws},
    TierRule{"buffer.rtsw.", "rtsw", kNoRtsws},
    TierRule{"ecn.tiers", "rtsw", kNoRtsws},
    TierRule{"routing.ctsw", "ctsw", kNoCtsws},
    TierRule{"buffer.ctsw.", "ctsw", kNoCtsws, false},
    TierRule{"link.rtsw_ctsw_", "ctsw", kNoCtsws},
    TierRule{"latency.ctsw_", "ctsw", kNoCtsws},
    TierRule{"routing.atsw", "atsw", kNoAtsws},
    TierRule{"buffer.atsw.", "atsw", kNoAtsws, false},
    TierRule{"link.ctsw_atsw_", "atsw", kNoAtsws},
    TierRule{"latency.atsw_", "atsw", kNoAtsws},
};

/// A key that belongs to one fabric: "fabric.0.tier.leaf.policy" is tier.leaf.policy of number 1, of the first one 0.
struct KeyOfFabric {
  std::string_view key;
  u32 fabric = 0;  // as fabric_of_tier
};

KeyOfFabric without_fabric(std::string_view key) {
  constexpr std::string_view kBegin = "fabric.";
  if (!key.starts_with(kBegin)) return {key};
  key.remove_prefix(kBegin.size());
  u32 number = 0;
  const char* end = std::from_chars(key.data(), key.data() + key.size(), number).ptr;
  key.remove_prefix(static_cast<size_t>(end - key.data()));
  return {key.starts_with('.') ? key.substr(1) : key, number + 1};
}

/// Whether no switch is of the rule's tier: in the key's fabric, or, of keys that are those of all, in any.
bool applies(const TierRule& rule, const KeyOfFabric& key, const Config& config, const World& world) {
  if (!rule.of_files && find_format("topology.kind", config.fabric.topology.kind) != nullptr) return false;
  const bool of_all = key.key.starts_with("routing.") || key.key.starts_with("ecn.");
  const Fabric& fabric = world.fabric;
  return std::none_of(fabric.nodes.begin() + fabric.endpoints, fabric.nodes.end(), [&](const Node& node) {
    return own_name(tier_of(fabric, node.tier)) == rule.tier &&
           (of_all || fabric_of_tier(fabric, node.tier) == key.fabric);
  });
}

/// Whether a rule's key, or the prefix that it stands for, is that of `key`.
bool is_of(std::string_view of_rule, std::string_view key) {
  const bool several = of_rule.ends_with('.') || of_rule.ends_with('_');
  return several ? key.starts_with(of_rule) : key == of_rule;
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

/// Whether GPUs of a job send what others of their server have for an all-to-all.
bool has_pxn(const CollectivePlan& plan, u32 number) {
  return std::ranges::any_of(plan.collectives, [&](const Collective& c) {
    if (plan.jobs[c.job].number != number || c.composed || c.kind != CollectiveKind::all_to_all) return false;
    const ChannelEndGroup& group = plan.jobs[c.job].groups[c.group];
    const auto first = plan.channel_ends.begin() + group.first_channel_end;
    return std::any_of(first, first + group.channel_ends, [](const ChannelEnd& end) { return end.relays; });
  });
}

/// Whether rings or trees of a job lead from servers with several of their ranks to others.
bool has_rails(const CollectivePlan& plan, u32 number) {
  return std::ranges::any_of(plan.collectives, [&](const Collective& c) {
    const Job& job = plan.jobs[c.job];
    return job.number == number && !c.composed && (c.algorithm == Algorithm::ring || c.algorithm == Algorithm::tree) &&
           job.gpus_per_server > 1 && job.ranks.size() > job.gpus_per_server;
  });
}

/// Whether no cable of the key's fabric joins two spines.
bool has_no_global_links(const KeyOfFabric& key, const World& world) {
  const Fabric& fabric = world.fabric;
  return std::ranges::none_of(fabric.links, [&](const Link& link) {
    const Tier tier = fabric.nodes[link.src].tier;
    return tier == fabric.nodes[link.dst].tier && own_name(tier_of(fabric, tier)) == "spine" &&
           fabric_of_tier(fabric, tier) == key.fabric;
  });
}

std::string_view why_unused(const std::string& key, const Config& config, const World& world) {
  for (const Rule& rule : kRules) {
    if (is_of(rule.key, key) && rule.unused(config, world)) return rule.why;
  }
  for (const TierRule& rule : kTierRules) {
    const KeyOfFabric own = without_fabric(key);
    if (is_of(rule.key, own.key) && applies(rule, own, config, world)) return rule.why;
  }
  if (const KeyOfFabric own = without_fabric(key);
      is_of("layer.spine_spine.", own.key) && has_no_global_links(own, world))
    return "no cable of this fabric joins two spines";
  const std::optional<u32> slots = job_with(key, ".slots"), pxn = job_with(key, ".pxn"),
                           cross_nic = job_with(key, ".cross_nic");
  if (slots && !slots_are_of_use(world.collectives, *slots))
    return "no collective of the job has the protocol simple, and the others have slots of their own";
  if (pxn && !has_pxn(world.collectives, *pxn))
    return "no all_to_all of the job has several ranks in each of several servers, as many in each";
  if (cross_nic && !has_rails(world.collectives, *cross_nic))
    return "no ring or tree of the job has several ranks in each of several servers";
  return "";
}

/// The least fraction of so many cables that is a cable, of three digits.
double least_fraction(u64 cables) {
  const double half = 0.5 / static_cast<double>(cables), scale = std::pow(10, std::ceil(-std::log10(half)) + 2);
  return std::ceil(half * scale) / scale;
}

/// failures.dead_fraction is rounded to whole cables.
std::string why_none_dead(const FailureSettings& failures, const World& world) {
  const u64 cables = cables_by_chance(failures, world.fabric).size();
  if (failures.dead_fraction == 0 || dead_cables(failures.dead_fraction, cables) != 0) return "";
  const std::string which = failures.cables == "nics"  ? " of NICs"
                            : failures.cables == "all" ? ""
                                                       : " between switches";
  if (cables == 0) return fmt::format("there is no cable{}", which);
  return fmt::format("{} of {}{} is less than half a cable, so none is dead; the least useful value is {:.3g}",
                     failures.dead_fraction, counted(cables, "cable"), which, least_fraction(cables));
}

/// Keys of requests that are asked at random, where each waits for another, and the other way round.
std::string why_not_of_requests(const GivenKey& given, const Config& config) {
  for (size_t i = 0; i < config.generators.size(); ++i) {
    const GeneratorOptions& o = config.generators[i];
    const std::string section = fmt::format("generator.{}.", i);
    if (o.kind != "requests" || !given.key.starts_with(section)) continue;
    const std::string_view key = std::string_view(given.key).substr(section.size());
    if (o.outstanding != 0 && (key == "load" || key == "duration"))
      return "with outstanding, a request is sent when another one is answered";
    if (o.outstanding == 0 && key == "messages") return "without outstanding, load and duration say how many there are";
  }
  return "";
}

/// Keys of checkpoints where nothing says how often one is written; every = 0 says it.
std::string why_no_checkpoint(const GivenKey& given, const std::vector<GivenKey>& all, const Config& config) {
  for (u32 job = 0; job < config.jobs.size(); ++job) {
    const std::string section = fmt::format("job.{}.training.checkpoint.", job);
    if (!given.key.starts_with(section) || config.jobs[job].training.checkpoint.present()) continue;
    if (std::ranges::find(all, section + "every", &GivenKey::key) == all.end())
      return "no checkpoint is written: every is not given";
  }
  return "";
}

}  // namespace

std::vector<std::string> unused_keys(const Config& config, std::span<const std::string> sets, const World& world) {
  std::vector<std::string> warnings;
  const std::vector<GivenKey> all = given_keys(config, sets);
  for (const GivenKey& given : all) {
    std::string why = given.key == "failures.dead_fraction" ? why_none_dead(config.failure_settings, world)
                                                            : std::string(why_unused(given.key, config, world));
    if (why.empty()) why = why_no_checkpoint(given, all, config);
    if (why.empty()) why = why_not_of_requests(given, config);
    if (!why.empty())
      warnings.push_back(
          fmt::format("{}: {} has no effect here: {}; remove it, or change that", given.where, given.key, why));
  }
  return warnings;
}

}  // namespace heddle
