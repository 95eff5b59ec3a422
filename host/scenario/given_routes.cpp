#include "host/scenario/given_routes.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/base/stage.hpp"
#include "host/config/config.hpp"
#include "host/scenario/controller/cspf.hpp"
#include "host/scenario/controller/settings.hpp"
#include "host/scenario/topology/explicit_paths.hpp"
#include "host/scenario/topology/link_weights.hpp"
#include "io/formats/paths.hpp"
#include "io/formats/routing_files.hpp"
#include "io/units.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

/// Refuses a file that no tier's policy uses.
void refuse_unused(std::string_view key, bool PolicyInfo::*looks_at_it, const Config& config, const World& world) {
  if (any_tier(world.routing, looks_at_it)) return;
  std::string names;
  for (const PolicyInfo& policy : routing_policies()) {
    if (policy.*looks_at_it) names += fmt::format("{}\"{}\"", names.empty() ? "" : " or ", policy.name);
  }
  throw ConfigError(fmt::format(
      "{}: routing.{} is given, but no tier has the policy {}, so it would be ignored; set routing.policy = "
      "{} or remove the file",
      config.path, key, names, names));
}

void check_measuring(const Config& config, const World& world) {
  if (!config.routing.demands_file.empty()) {
    throw ConfigError(config.path +
                      ": routing.demands_file is given, but routing.traffic_engineering.demands is \"measured\", so it "
                      "would be ignored; set demands = \"workload\" or remove the file");
  }
  if (solution_period_ps(world.routing) == 0) {
    throw ConfigError(config.path +
                      ": routing.traffic_engineering.demands = \"measured\" needs the time over which they are "
                      "measured; set routing.traffic_engineering.period, to \"2 ms\" for example");
  }
  pairs_of_workload(world);  // refuses demands too large to plan for
  constexpr TimePs kMinPeriodPs = 1'000'000;
  if (solution_period_ps(world.routing) < kMinPeriodPs) {
    throw ConfigError(fmt::format(
        "{}: routing.traffic_engineering.period: {} is less than {}: the state is made anew for every solution, so the "
        "run would do nothing else; give at least that, usually some \"ms\"",
        config.path, format_quantity(solution_period_ps(world.routing), Quantity::time_ps),
        format_quantity(kMinPeriodPs, Quantity::time_ps)));
  }
}

}  // namespace

void set_explicit_paths(const Config& config, const PlainTopology* imported, World& world) {
  const std::string& file = config.routing.paths_file;
  if (!world.routing.paths_are_given()) {
    if (file.empty()) return;
    throw ConfigError(config.path + ": routing.paths_file is given, but routing.policy is \"" + config.routing.policy +
                      "\", which would ignore it; set routing.policy = \"explicit\" or remove the file");
  }
  if (file.empty()) {
    throw ConfigError(config.path +
                      ": routing.policy = \"explicit\" needs routing.paths_file (CSV src,dst,data_path,ack_path)");
  }
  add_explicit_paths(read_paths_csv(path_beside(config, file)), imported, world);
}

void set_weights(const Config& config, World& world) {
  const std::string& file = config.routing.weights_file;
  if (file.empty()) return;
  refuse_unused("weights_file", &PolicyInfo::weighs_links, config, world);
  set_link_weights(read_weights_csv(path_beside(config, file)), path_beside(config, file), world);
}

void set_traffic_engineering(const Config& config, World& world) {
  const std::string& file = config.routing.demands_file;
  if (!file.empty()) refuse_unused("demands_file", &PolicyInfo::by_controller, config, world);
  if (!any_policy(world, &PolicyInfo::by_controller)) return;
  if (world.fabric.nic_ports > 1) {
    throw ConfigError(fmt::format(
        "{}: routing.policy: traffic_engineering plans one path for each NIC, but those of this fabric have {} ports; "
        "choose another policy",
        config.path, world.fabric.nic_ports));
  }
  if (demands_are_measured(world)) return check_measuring(config, world);
  begin_stage("the controller's plan");
  const std::string path = path_beside(config, file);
  const std::vector<RackDemand> demands =
      file.empty() ? demands_of_workload(world) : demands_of_file(read_demands_csv(path), path, world);
  if (!file.empty() && demands.empty()) {
    throw ConfigError(path +
                      ": names no demand, so the controller would plan nothing; give a line for each pair of racks, or "
                      "remove routing.demands_file");
  }
  solve_traffic(demands, world.routing.parameters.at("traffic_engineering.start"), world);
  solve_again(demands, solution_period_ps(world.routing), world);
}

}  // namespace heddle
