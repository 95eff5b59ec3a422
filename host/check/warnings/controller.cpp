#include "host/check/warnings/controller.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/quantity_text.hpp"
#include "host/check/estimates/message_wire_bytes.hpp"
#include "host/scenario/controller/settings.hpp"

namespace heddle {
namespace {

double wire_ps(const World& world, MessageId m, EndpointId nic) {
  return static_cast<double>(message_wire_bytes(world, world.traffic.messages[m])) * nic_ps_per_byte(world.fabric, nic);
}

/// What the controller's NIC cannot take or send within a period, piles up: every plan is later than the one before.
void warn_about_its_nic(const World& world, std::vector<std::string>& warnings) {
  const Traffic& traffic = world.traffic;
  const ControlNetwork& control = world.routing.control;
  const EndpointId controller = traffic.qps[traffic.messages[control.routes.front()].qp].src;
  double reports_ps = 0, routes_ps = 0;
  for (const MessageWait& wait : traffic.waits)
    if (wait.waiting == control.routes.front()) reports_ps += wire_ps(world, wait.awaited, controller);
  for (u32 i = 0; i < control.switches; ++i) routes_ps += wire_ps(world, control.routes[i], controller);
  const TimePs period_ps = solution_period_ps(world.routing);
  const double longest_ps = std::max(reports_ps, routes_ps);
  if (longest_ps <= static_cast<double>(period_ps)) return;
  warnings.push_back(fmt::format(
      "routing.traffic_engineering.network: the {} of a period take {} at the rate of {}, the controller's host, but a "
      "period is {}: they pile up, and every plan comes later than the one before; lengthen "
      "routing.traffic_engineering.period, or give {} fewer bytes",
      reports_ps >= routes_ps ? "reports" : "routes", time_text(static_cast<u64>(longest_ps)),
      world.fabric.names[controller], time_text(static_cast<u64>(period_ps)),
      reports_ps >= routes_ps ? "a report" : "a route"));
}

}  // namespace

std::vector<std::string> warnings_of_controller(const World& world) {
  const ControlNetwork& control = world.routing.control;
  std::vector<std::string> warnings;
  if (control.switches == 0) return warnings;
  if (control.periods == 0) {
    warnings.emplace_back(
        "routing.traffic_engineering.network: the controller would first measure at the end of the run, or later, so "
        "nothing travels; lengthen simulation.horizon, or let routing.traffic_engineering.start come earlier");
    return warnings;
  }
  warn_about_its_nic(world, warnings);
  return warnings;
}

}  // namespace heddle
