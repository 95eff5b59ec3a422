#include "host/scenario/build.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "host/base/error.hpp"
#include "host/base/quantity_text.hpp"
#include "host/base/stage.hpp"
#include "host/scenario/failures/schedule.hpp"
#include "host/scenario/given_routes.hpp"
#include "host/scenario/inputs.hpp"
#include "host/scenario/memory/input_memory.hpp"
#include "host/scenario/reach.hpp"
#include "host/scenario/topology/headroom.hpp"
#include "host/scenario/topology/queue_limits.hpp"
#include "io/units.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

void set_classes(const Config& config, Fabric& fabric) {
  fabric.classes.assign(config.classes.begin(), config.classes.end());
  for (u32 c = 0; c < kClassNames.size(); ++c) {
    const ClassOptions& options = config.classes[c];
    if (options.limit_alpha > 0 && options.pfc) {
      throw ConfigError(
          fmt::format("{}: class.{}.limit_alpha = {}: this class has pfc, so its packets are accounted for "
                      "where they come in and pause their senders; set pfc = false, or limit_alpha = 0",
                      config.path, kClassNames[c], options.limit_alpha));
    }
    fabric.classes[c].transport = transport_of(options.transport_name);
    fabric.classes[c].limit_alpha_q16 = static_cast<u32>(std::lround(options.limit_alpha * 65536.0));
    if (options.limit_alpha > 0 && fabric.classes[c].limit_alpha_q16 == 0) {
      throw ConfigError(
          fmt::format("{}: class.{}.limit_alpha = {}: shares are kept in 1/65536, and this one is rounded to 0, which "
                      "would mean no limit; give at least 0.0000153",
                      config.path, kClassNames[c], options.limit_alpha));
    }
  }
}

/// A rate is 0, or so large that the time of a copy fits 32 bits. As many as 256 GPUs share that of NVLS.
void check_copy_rates(const Config& config) {
  const auto check = [&](const char* key, u64 given, u64 min_bytes_per_s, const char* zero) {
    if (given == 0 || given >= min_bytes_per_s) return;
    throw ConfigError(fmt::format("{}: collective.{} is below {}, so copies would all but stop; give more, or 0 for {}",
                                  config.path, key,
                                  format_quantity(static_cast<i64>(min_bytes_per_s), Quantity::bytes_per_s), zero));
  };
  const CollectiveOptions& o = config.collective;
  constexpr u64 kMinBytesPerS = 100'000'000, kMinNvlsBytesPerS = 8'000'000'000;
  check("copy_rate_computing", o.copy_computing_bytes_per_s, kMinBytesPerS, "copy_rate");
  check("channel_rate", o.channel_bytes_per_s, kMinBytesPerS, "no bound");
  check("ll_channel_rate", o.ll_channel_bytes_per_s, kMinBytesPerS, "no bound");
  check("ll128_channel_rate", o.ll128_channel_bytes_per_s, kMinBytesPerS, "no bound");
  check("nvls_channel_rate", o.nvls_channel_bytes_per_s, kMinNvlsBytesPerS, "no bound");
}

void set_model(const Config& config, World& world) {
  world.seed = config.simulation.seed;
  set_classes(config, world.fabric);
  if (!world.fabric.classes[0].strict) {
    throw ConfigError(config.path +
                      ": class.control.strict = false: ACKs, NAKs, CNPs and CTSs pass all data in this model; use "
                      "class.lossless.weight to share what is left, and remove this key");
  }
  world.roce = config.roce;
  world.roce.recovery = recovery_of(config.roce_options.recovery);
  world.roce.port_choice = port_choice_of(config.roce_options.port_choice);
  world.tcp = config.tcp;
  world.tcp.control = tcp_control_of(config.tcp_options.control);
  world.tcp.loss_detection = loss_detection_of(config.tcp_options.loss_detection);
  world.congestion = config.congestion.congestion();
  world.congestion.whole_nanoseconds = config.fabric.link.whole_nanoseconds;
  check_copy_rates(config);
  if (static_cast<double>(config.collective.nvlink_bytes_per_s) * config.collective.nvls_efficiency < 1e8) {
    throw ConfigError(config.path +
                      ": collective.nvlink_rate times nvls_efficiency is below 100 MB/s, slower than anything that is "
                      "built; give more of either");
  }
  world.collectives.settings = collective_settings_of(config.collective);
  world.clocks = sampling_clocks(config.simulation);
}

/// Refuses a minimum rate above the line rate, which would leave nothing to cut.
void check_min_rate(const World& world, std::string_view control, u64 min_bps) {
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    const u32 speed = speed_of(world.fabric.links[world.fabric.nodes[e].first_link].ps_per_byte_q16);
    const bool all_ports = world.roce.port_choice == PortChoice::per_packet;
    const u64 line_bps = bits_per_s_of(speed) * (all_ports ? world.fabric.nic_ports : 1);
    if (min_bps <= line_bps || ps_per_byte_q16_of(min_bps) == speed) continue;  // equal after rounding
    throw ConfigError(fmt::format(
        "{0}.min_rate: {1} is above the line rate of {2}, {3}: a cut would raise its rate, so {0} would be as good as "
        "off; give at most the line rate, or set roce.congestion_control = \"none\"",
        control, format_quantity(static_cast<i64>(min_bps), Quantity::bits_per_s), world.fabric.names[e],
        rate_text(line_bps)));
  }
}

void check_congestion(const World& world) {
  const auto check = [&]<class Settings>(const Settings& settings) {
    if constexpr (HasMinRate<Settings>) check_min_rate(world, Settings::kInfo.name, settings.min_rate_bps);
  };
  std::visit(check, world.congestion.control);
}

}  // namespace

World build_world(const Config& config, const MemoryBudget& budget, std::vector<std::string>* notes) {
  World world;
  set_model(config, world);
  check_inputs(config, budget);
  begin_stage("the topology");
  const std::optional<PlainTopology> imported = read_imported(config);
  const PlainTopology* plain = imported ? &*imported : nullptr;
  build_topology(config.fabric, config.routing, plain, world, !config.jobs.empty(), config.fabrics);
  begin_stage("the workload");
  std::vector<std::string> of_files;
  build_workload(read_workload(config, plain, of_files), world,
                 [&](const WorkloadCounts& counts) { check_memory(world, memory_need(world, counts), budget); });
  check_reach_of_traffic(world);
  if (notes != nullptr) notes->insert(notes->end(), of_files.begin(), of_files.end());
  if (world.fabric.nic_ports > 1 && world.routing.paths_are_given()) {
    throw ConfigError(
        config.path +
        ": routing.policy: explicit paths name no port of a NIC, but NICs of this fabric have several; choose "
        "another policy");
  }
  set_explicit_paths(config, plain, world);
  set_weights(config, world);
  begin_stage("clocks and headroom");
  world.clocks = choose_clocks(config.simulation, world);
  add_failures(config.failure_settings, config.failures, world);
  set_traffic_engineering(config, world);
  check_headroom(world, config.fabric.pfc);
  check_queue_limits(config.fabric, config.fabrics, world);
  check_congestion(world);
  if (budget.ranks != 0) check_memory(world, memory_need(world, counts_of(world)), budget);  // state, by the tick too
  return world;
}

World build_world(std::string_view toml, const std::string& name, std::span<const std::string> sets) {
  return build_world(load_config_text(toml, name, sets));
}

}  // namespace heddle
