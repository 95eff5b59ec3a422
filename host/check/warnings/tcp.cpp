#include "host/check/warnings/tcp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/check/warnings/spraying.hpp"
#include "host/scenario/topology/fabric_of_tier.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

/// TCP takes a segment for lost when three of those after it have come.
void warn_about_spraying(const World& world, std::vector<std::string>& warnings) {
  const SprayingSwitch spraying = first_spraying_switch(world, fabrics_with(world, Transport::tcp));
  if (!spraying) return;
  warnings.push_back(fmt::format(
      "routing policy {} ({} and others) with class.{}.transport = \"tcp\": segments of one connection take different "
      "ways and overtake each other, and TCP takes a segment for lost when {} after it have come, so it retransmits "
      "and "
      "halves its window though nothing is lost; choose a policy that keeps flows together, such as ecmp",
      spraying.policy, world.fabric.names[spraying.at], kClassNames[classes_in_use(world, Transport::tcp).front()],
      kTcpDuplicates));
}

/// Whether a switch of these fabrics marks.
bool any_marks(const Fabric& fabric, const std::vector<bool>& fabrics) {
  return std::ranges::any_of(fabric.links, [&](const Link& link) {
    return link.ecn != kNone && link.src >= fabric.endpoints &&
           fabrics[fabric_of_tier(fabric, fabric.nodes[link.src].tier)];
  });
}

/// DCTCP keeps queues short by marks; without them it is New Reno.
void warn_about_dctcp(const World& world, std::vector<std::string>& warnings) {
  if (world.tcp.control != TcpControl::dctcp) return;
  const bool port = any_marks(world.fabric, fabrics_with(world, Transport::tcp));
  for (const u32 c : classes_in_use(world, Transport::tcp)) {
    if (port && world.fabric.classes[c].ecn) continue;
    warnings.push_back(fmt::format(
        "tcp.control is \"dctcp\", but {}: no segment of class {} will be marked, so windows shrink by losses alone, "
        "as "
        "with new_reno; set {}, or tcp.control = \"new_reno\"",
        port ? fmt::format("class.{}.ecn is false", kClassNames[c]) : "no switch on its way marks", kClassNames[c],
        port ? fmt::format("class.{}.ecn = true", kClassNames[c])
             : fmt::format("class.{}.ecn, and ecn.enabled and ecn.tiers (of leaves, spines and cores tier.NAME.ecn)",
                           kClassNames[c])));
  }
}

}  // namespace

std::vector<std::string> warnings_of_tcp(const World& world) {
  std::vector<std::string> warnings;
  if (!carries_data(world, Transport::tcp)) return warnings;
  warn_about_spraying(world, warnings);
  warn_about_dctcp(world, warnings);
  return warnings;
}

}  // namespace heddle
