#include "tests/acceptance/worlds.hpp"

#include <span>
#include <stdexcept>

#include "host/scenario/build.hpp"
#include "kernels/base/units.hpp"

namespace heddle::acceptance {

World world_of(std::string_view toml, const std::vector<std::string>& sets, const std::string& directory) {
  std::vector<std::string> all = {"collective.host=none"};
  all.insert(all.end(), sets.begin(), sets.end());
  return build_world(toml, directory + "/acceptance.toml", all);
}

Outcome run_engine(const World& world, const EngineOptions& options) {
  Engine engine(world, options);
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

Outcome run_restarted(const World& world, TimePs at_ps, const EngineOptions& options) {
  Engine first(world, options), second(world, options);
  if (!first.advance(at_ps)) throw std::logic_error("run_restarted: the run was over before");
  first.save([&](std::span<const u64> records) { second.load(records); });
  second.go_on_at(at_ps);
  while (second.advance(kNever)) {
  }
  return second.outcome();
}

std::vector<LinkId> some_path(const World& world, EndpointId src, EndpointId dst) {
  const Fabric& fabric = world.fabric;
  const Routing& routing = world.routing;
  std::vector<LinkId> path = {fabric.nodes[src].first_link};
  while (fabric.links[path.back()].dst != dst) {
    const NodeId at = fabric.links[path.back()].dst;
    u32 port = routing.attach_port[dst];
    if (at != routing.attach_switch[dst]) port = routing.next_hops(at, routing.group_of[dst]).front();
    path.push_back(fabric.nodes[at].first_link + port);
  }
  return path;
}

TimePs path_ps(const World& world, const std::vector<LinkId>& path, u32 wire_bytes) {
  TimePs sum = 0;
  for (const LinkId l : path) {
    sum += ser_ps(wire_bytes, world.fabric.links[l].ps_per_byte_q16) + world.fabric.links[l].lambda_ps;
  }
  return sum;
}

}  // namespace heddle::acceptance
