#include "host/scenario/controller/settings.hpp"

#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

constexpr const char* kStart = "traffic_engineering.start";
constexpr const char* kPeriod = "traffic_engineering.period";
constexpr const char* kDemands = "traffic_engineering.demands";
constexpr i64 kMeasured = 1;  // index of "measured" among the values of kDemands

}  // namespace

bool demands_are_measured(const World& world) {
  return any_policy(world, &PolicyInfo::by_controller) && world.routing.parameters.at(kDemands) == kMeasured;
}

TimePs solution_period_ps(const Routing& routing) { return routing.parameters.at(kPeriod); }

TimePs first_solution_ps(const Routing& routing) {
  const TimePs start_ps = routing.parameters.at(kStart);
  return start_ps == 0 ? solution_period_ps(routing) : start_ps;
}

}  // namespace heddle
