// A run as its user describes it: every parameter of every part, read from TOML, with defaults where the file is
// silent.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/options.hpp"
#include "host/config/section.hpp"
#include "host/scenario/failures/options.hpp"
#include "host/scenario/topology/clocks.hpp"
#include "host/scenario/topology/other_fabric.hpp"
#include "host/scenario/topology/topology.hpp"
#include "host/scenario/workload/workload.hpp"
#include "kernels/routing/parameters.hpp"
#include "kernels/world/collective_parameters.hpp"
#include "kernels/world/congestion_parameters.hpp"
#include "kernels/world/fabric_parameters.hpp"
#include "kernels/world/host_presets.hpp"
#include "kernels/world/tcp_parameters.hpp"
#include "kernels/world/transport_parameters.hpp"
#include "partition/cut/parameters.hpp"

namespace heddle {

struct Config {
  std::string path;  // path of the file, as given; messages and relative file names start from it

  SimulationOptions simulation;
  FabricOptions fabric;
  std::vector<OtherFabricOptions> fabrics;  // [[fabric]], beside it
  std::array<ClassOptions, kClassNames.size()> classes = {{{default_class(0)}, {default_class(1)}, {default_class(2)}}};
  RoutingOptions routing;
  ControlNetworkOptions control_network;
  RoceOptions roce_options;
  RoceSettings roce = roce_of(host_preset(HostOptions().host));
  TcpOptions tcp_options;
  TcpSettings tcp;
  CongestionOptions congestion;
  HostOptions host_options;
  CollectiveOptions collective = host_preset(HostOptions().host).collective;
  WorkloadOptions workload;
  WorkloadFileOptions workload_files;
  std::vector<MessageOptions> messages;
  std::vector<GeneratorOptions> generators;
  std::vector<SlowReceiverOptions> slow_receivers;
  FailureSettings failure_settings;
  std::vector<FailureOptions> failures;
  std::vector<JobOptions> jobs;
  PartitionOptions partition;
  CheckpointOptions checkpoint;
  OutputOptions output;
};

/// Reads a file, lays "key=value" arguments over it and checks every key. Throws ConfigError with all problems.
Config load_config(const std::string& path, std::span<const std::string> sets = {});

/// Reads a configuration from text; `name` stands for the path.
Config load_config_text(std::string_view text, const std::string& name, std::span<const std::string> sets = {});

/// All sections in the order of the file, bound to the fields of `config`, which must outlive them unmoved.
std::vector<Section> sections_of(Config& config);

/// Every parameter with its value, as TOML that load_config_text reads back to the same configuration.
std::string resolved_text(const Config& config);

/// Hash of resolved_text without [partition], [checkpoint] and [output], which change no result: equal for equal runs,
/// whatever their spelling, output paths and division over ranks.
u64 config_hash(const Config& config);

/// Defaults, with one of every section that a configuration may have any number of: to list all parameters.
Config config_with_every_section();

/// `heddle config --reference`: every parameter with type, unit, default, range, help and source.
std::string reference_text();

/// A file named in the configuration: relative names start at the configuration's own directory.
std::string path_beside(const Config& config, const std::string& file);

}  // namespace heddle
