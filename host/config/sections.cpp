// Which section of the file holds which options: the one place where tables and fields meet.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/config/config.hpp"
#include "host/scenario/topology/registry.hpp"

namespace heddle {
namespace {

using Conditions = std::map<std::string, std::string, std::less<>>;

/// By the name of each: "topology.kind=star" for the key topology.kind.
template <class Infos>
Conditions conditions_of(std::string_view key, const Infos& infos) {
  Conditions all;
  for (const auto& info : infos) all.emplace(info.name, fmt::format("{}={}", key, info.name));
  return all;
}

/// What the settings of a routing policy mean something with.
std::string_view used_by(std::string_view policy) {
  static const Conditions conditions = conditions_of("routing.policy", routing_policies());
  return conditions.find(policy)->second;
}

/// What the dimensions of a topology mean something with.
std::string_view kind_of(std::string_view topology) {
  static const Conditions conditions = conditions_of("topology.kind", topologies());
  return conditions.find(topology)->second;
}

class SectionList {
 public:
  /// Starts a section; parameters are added to it by `with`.
  SectionList& add(std::string path, std::string header, std::string help) {
    Section section;
    section.path = std::move(path);
    section.header = std::move(header);
    section.help = std::move(help);
    sections_.push_back(std::move(section));
    return *this;
  }
  SectionList& table(const std::string& path, std::string help) { return add(path, "[" + path + "]", std::move(help)); }
  SectionList& children(std::vector<std::string_view> names) {
    sections_.back().children = std::move(names);
    return *this;
  }
  SectionList& fact(std::string_view key, std::string value) {
    sections_.back().facts.emplace_back(key, std::move(value));
    return *this;
  }
  template <class Options, class Table>
  SectionList& with(Options& options, const Table& table) {
    add_parameters(sections_.back(), options, table);
    return *this;
  }
  /// Leaves out a key of the section that was added last.
  SectionList& without(std::string_view key) {
    std::erase_if(sections_.back().parameters, [&](const BoundParameter& p) { return p.key == key; });
    return *this;
  }
  /// Restricts the words that a key of that section may take.
  SectionList& only(std::string_view key, std::string_view choices) {
    std::ranges::find(sections_.back().parameters, key, &BoundParameter::key)->choices = choices;
    return *this;
  }
  /// The dimensions of one topology.
  SectionList& values(std::string_view topology, std::vector<DimensionValue>& values) {
    for (DimensionValue& v : values) {
      if (v.topology == topology)
        sections_.back().parameters.push_back(bound(*v.dimension, &v.number, kind_of(topology)));
    }
    return *this;
  }
  /// The settings of one routing policy.
  SectionList& values(std::string_view policy, std::vector<PolicyValue>& values) {
    for (PolicyValue& v : values) {
      if (v.policy->name != policy) continue;
      const bool is_word = !v.parameter->choices.empty();
      const auto target = is_word ? BoundParameter::Target(&v.word) : BoundParameter::Target(&v.number);
      sections_.back().parameters.push_back(bound(*v.parameter, target, used_by(policy)));
    }
    return *this;
  }
  std::vector<Section> take() { return std::move(sections_); }

 private:
  std::vector<Section> sections_;
};

/// Adds the sections of one fabric's shape. `of`: of the first one "", of another the path and the header that its
/// sections begin with, "fabric.0." and "fabric.". `hash`: [routing.hash].
void add_shape_sections(SectionList& list, const std::pair<std::string, std::string>& of, FabricOptions& fabric,
                        RoutingOptions& routing, const HashOptions& hash) {
  const auto table = [&](const std::string& path, std::string help) -> SectionList& {
    return list.add(of.first + path, fmt::format("[{}{}]", of.second, path), std::move(help));
  };
  static const std::string kBuiltKinds = built_topologies();
  const bool is_other = !of.first.empty();  // no file, and times as in the first one
  table("topology", "which fabric, and its dimensions").with(fabric.topology, kTopologyParameters);
  if (is_other) list.only("kind", kBuiltKinds).without("file").without("first_hosts");
  std::vector<std::string_view> sections;
  for (const TopologyInfo& info : topologies())
    if (!info.dimensions.empty()) sections.push_back(info.name);
  list.children(sections);
  for (const std::string_view name : sections) {
    table(fmt::format("topology.{}", name), fmt::format("dimensions of topology.kind = \"{}\"", name))
        .values(name, fabric.topology.values)
        .fact("topology.kind", fabric.topology.kind);
  }
  const auto of_kind = [&](const std::string& section, const char* help) -> SectionList& {
    return table(section, help).fact("topology.kind", fabric.topology.kind);
  };
  of_kind("link", "rates and cables").with(fabric.link, kLinkParameters);
  if (is_other) list.without("whole_nanoseconds").without("wire_gap");
  of_kind("latency", "fixed pipelines of NICs and switches").with(fabric.latency, kLatencyParameters);
  table("tier", "the switches of fabrics of leaves, spines and cores")
      .children({kLeafTierNames.begin(), kLeafTierNames.end()});
  for (size_t i = 0; i < kLeafTierNames.size(); ++i) {
    const std::string path = fmt::format("tier.{}", kLeafTierNames[i]);
    of_kind(path, "switches of a tier").with(fabric.leaves.tiers[i], kTierParameters);
    list.with(routing.tiers[i], kTierRoutingParameters).with(routing.tier_hashes[i], kTierHashParameters);
    list.fact("hash_function", hash_function_of(hash, routing.tier_hashes[i], i)).children({"buffer"});
    of_kind(path + ".buffer", "their packet memory").with(fabric.leaves.tiers[i].buffer, kBufferParameters);
  }
  table("layer", "the cables between their tiers").children({kLayerNames.begin(), kLayerNames.end()});
  for (size_t i = 0; i < kLayerNames.size(); ++i)
    of_kind(fmt::format("layer.{}", kLayerNames[i]), "cables between two tiers")
        .with(fabric.leaves.layers[i], kLayerParameters);
  table("buffer", "packet memory of the switches, by tier").children({"rtsw", "ctsw", "atsw"});
  table("buffer.rtsw", "rack switches, and the switch of a star").with(fabric.rtsw_buffer, kBufferParameters);
  table("buffer.ctsw", "cluster switches (spine of a zone)").with(fabric.ctsw_buffer, kBufferParameters);
  table("buffer.atsw", "aggregation switches above the zones").with(fabric.atsw_buffer, kBufferParameters);
}

void add_fabric_sections(SectionList& list, FabricOptions& fabric, RoutingOptions& routing,
                         std::vector<OtherFabricOptions>& others) {
  add_shape_sections(list, {}, fabric, routing, routing.hash);
  list.table("pfc", "pause frames").with(fabric.pfc, kPfcParameters);
  list.table("ecn", "marking at switch egresses").with(fabric.ecn, kEcnParameters);
  for (size_t i = 0; i < others.size(); ++i) {
    const std::string path = fmt::format("fabric.{}", i);
    list.add(path, "[[fabric]]", "one more network of the same servers, which nothing joins with the first one")
        .with(others[i], kOtherFabricParameters)
        .children({"topology", "link", "latency", "tier", "layer", "buffer"});
    add_shape_sections(list, {path + ".", "fabric."}, others[i].fabric, others[i].routing, routing.hash);
  }
}

void add_class_sections(SectionList& list, Config& config) {
  list.table("class", "traffic classes").children({kClassNames.begin(), kClassNames.end()});
  constexpr std::string_view kHelp[] = {"ACK, NAK, CNP, CTS and its answers", "RDMA data",
                                        "traffic that may be dropped"};
  for (size_t i = 0; i < kClassNames.size(); ++i) {
    list.table(fmt::format("class.{}", kClassNames[i]), std::string(kHelp[i]))
        .with(config.classes[i], kClassParameters);
  }
}

/// The first function of any switches that is not ideal, if there is one.
std::string chip_function_of(const Config& config) {
  std::vector<std::string> all = config.routing.hash.function;
  const auto add_tiers = [&](const FabricOptions& fabric, const RoutingOptions& routing) {
    if (tier_names_of(fabric.topology.kind)[0] != kLeafTierNames[0]) return;
    for (const TierHashOptions& tier : routing.tier_hashes) all.push_back(tier.function);
  };
  add_tiers(config.fabric, config.routing);
  for (const OtherFabricOptions& other : config.fabrics) add_tiers(other.fabric, other.routing);
  const auto chip = std::ranges::find_if(all, [](const std::string& f) { return f != "ideal" && f != kSameHash; });
  return chip == all.end() ? "ideal" : *chip;
}

/// Whether switches of any fabric have a policy.
bool uses(const Config& config, std::string_view policy) {
  if (config.routing.uses(policy, tier_names_of(config.fabric.topology.kind))) return true;
  return std::ranges::any_of(config.fabrics, [&](const OtherFabricOptions& other) {
    RoutingOptions own = config.routing;
    own.tiers = other.routing.tiers;
    return own.uses(policy, tier_names_of(other.fabric.topology.kind));
  });
}

constexpr std::string_view kControlled = "traffic_engineering";

/// The word of routing.traffic_engineering.demands.
std::string demands_of(const RoutingOptions& routing) {
  const auto found = std::ranges::find_if(routing.values, [](const PolicyValue& v) {
    return v.policy->name == kControlled && v.parameter->key == "demands";
  });
  return found->word;
}

void add_routing_sections(SectionList& list, Config& config) {
  RoutingOptions& routing = config.routing;
  list.table("routing", "how switches choose among equal next hops").with(routing, kRoutingParameters);
  std::vector<std::string_view> policies;  // with settings
  for (const PolicyInfo& policy : routing_policies()) {
    if (!policy.parameters.empty()) policies.push_back(policy.name);
  }
  std::vector<std::string_view> children = policies;
  children.push_back("hash");
  list.children(children);
  list.table("routing.hash", "by what switches hash flows, whatever their policies")
      .with(routing.hash, kHashParameters)
      .fact("routing.hash.function", chip_function_of(config));
  for (const std::string_view policy : policies) {
    list.table(fmt::format("routing.{}", policy), fmt::format("settings of the routing policy {}", policy))
        .values(policy, routing.values)
        .fact("routing.policy", uses(config, policy) ? std::string(policy) : routing.policy);
    if (policy != kControlled) continue;
    list.children({"network"});
    list.table(fmt::format("routing.{}.network", policy), "the network between a controller, servers and switches")
        .with(config.control_network, kControlNetworkParameters)
        .fact("routing.traffic_engineering.demands", uses(config, policy) ? demands_of(routing) : "none");
  }
}

void add_job_sections(SectionList& list, std::vector<JobOptions>& jobs) {
  for (size_t j = 0; j < jobs.size(); ++j) {
    const std::string path = fmt::format("job.{}", j);
    list.add(path, "[[job]]", "a group of GPUs that runs collectives").with(jobs[j], kJobParameters);
    list.children({"collective", "training", "trace"});
    for (const CollectiveStepOptions& step : jobs[j].collectives) list.fact("collective.kind", step.kind);
    for (const std::string_view kind : kinds_of(jobs[j].training)) list.fact("collective.kind", std::string(kind));
    for (const std::string_view kind : kinds_of(jobs[j].trace)) list.fact("collective.kind", std::string(kind));
    list.add(path + ".training", "[job.training]", "a model that the job trains, instead of [[job.collective]]")
        .with(jobs[j].training, kTrainingParameters)
        .children({"checkpoint", "data"});
    for (const auto& [key, value] : facts_of(jobs[j].training)) list.fact(key, value);
    const TrainingCheckpointOptions& checkpoint = jobs[j].training.checkpoint;
    list.add(path + ".training.checkpoint", "[job.training.checkpoint]", "what its GPUs write to storage servers")
        .with(jobs[j].training.checkpoint, kTrainingCheckpointParameters);
    for (const auto& [key, value] : facts_of(checkpoint, jobs[j].training.model)) list.fact(key, value);
    const TrainingDataOptions& data = jobs[j].training.data;
    list.add(path + ".training.data", "[job.training.data]", "what its GPUs read from storage servers to train on")
        .with(jobs[j].training.data, kTrainingDataParameters);
    for (const auto& [key, value] : facts_of(data, jobs[j].training.model)) list.fact(key, value);
    list.add(path + ".trace", "[job.trace]", "what ranks do, from a file, instead of [[job.collective]]")
        .with(jobs[j].trace, kTraceParameters);
    for (const auto& [key, value] : facts_of(jobs[j].trace)) list.fact(key, value);
    for (size_t c = 0; c < jobs[j].collectives.size(); ++c) {
      list.add(fmt::format("{}.collective.{}", path, c), "[[job.collective]]", "collectives of this job, in order")
          .with(jobs[j].collectives[c], kCollectiveStepParameters);
    }
  }
}

template <class Options, class Table>
void add_array(SectionList& list, const std::string& name, const std::string& help, std::vector<Options>& elements,
               const Table& table) {
  for (size_t i = 0; i < elements.size(); ++i) {
    list.add(fmt::format("{}.{}", name, i), "[[" + name + "]]", help).with(elements[i], table);
  }
}

}  // namespace

std::vector<Section> sections_of(Config& config) {
  SectionList list;
  std::vector<std::string_view> top_level = {
      "simulation",    "topology", "fabric",  "link", "latency",   "tier",       "layer",    "buffer",  "pfc",
      "ecn",           "class",    "routing", "roce", "tcp",       "collective", "workload", "message", "generator",
      "slow_receiver", "failures", "failure", "job",  "partition", "checkpoint", "output"};
  for (const ControlInfo& control : kControls) top_level.push_back(control.name);
  list.add("", "the top level", "").children(top_level);
  list.table("simulation", "chance, end and grids").with(config.simulation, kSimulationParameters);
  add_fabric_sections(list, config.fabric, config.routing, config.fabrics);
  add_class_sections(list, config);
  add_routing_sections(list, config);
  list.table("roce", "the transport of classes whose transport is roce, and of collectives")
      .with(config.congestion, kCongestionParameters)
      .with(config.roce_options, kRoceOptionParameters)
      .with(config.roce, kRoceParameters);
  list.table("tcp", "the transport of classes whose transport is tcp")
      .with(config.tcp_options, kTcpOptionParameters)
      .with(config.tcp, kTcpParameters);
  for_each_control(config.congestion, [&]<class Settings>(ControlSection<Settings>& section) {
    const std::string name(section.kInfo.name);
    list.table(name, fmt::format("the congestion control {}", name))
        .with(section, control_parameters<Settings>())
        .with(section.settings, Settings::parameters());
  });
  list.table("collective", "what collectives find on every GPU")
      .with(config.host_options, kHostParameters)
      .with(config.collective, kCollectiveParameters);
  list.table("workload", "how messages become queue pairs")
      .with(config.workload, kWorkloadParameters)
      .with(config.workload_files, kWorkloadFileParameters);
  list.table("partition", "how the fabric is divided over ranks").with(config.partition, kPartitionParameters);
  list.table("checkpoint", "when the state of a run is saved, so that `heddle run --resume` can resume from it")
      .with(config.checkpoint, kCheckpointParameters);
  list.table("output", "what is written").with(config.output, kOutputParameters);
  add_array(list, "message", "one explicit message", config.messages, kMessageParameters);
  add_array(list, "generator", "many messages by a rule", config.generators, kGeneratorParameters);
  add_array(list, "slow_receiver", "NICs that drain slower than their line", config.slow_receivers,
            kSlowReceiverParameters);
  list.table("failures", "how routing reacts to cables that fail, and cables that fail at random")
      .with(config.failure_settings, kFailureSettingsParameters);
  add_array(list, "failure", "what befalls a cable, or all cables of a node", config.failures, kFailureParameters);
  add_job_sections(list, config.jobs);
  return list.take();
}

}  // namespace heddle
