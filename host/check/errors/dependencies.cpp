// Cycles of buffer dependences: with lossless classes, links that wait for each other in a cycle deadlock.
#include <fmt/format.h>

#include <algorithm>

#include "host/check/errors/dependency_graph.hpp"
#include "host/check/errors/routes.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

/// The vertices of one directed cycle, or nothing.
std::vector<u32> find_cycle(const DependencyGraph& graph) {
  enum class State : u8 { unseen, open, done };
  std::vector<State> state(graph.edges.size(), State::unseen);
  std::vector<std::pair<u32, u32>> stack;  // vertex, next edge
  for (u32 start = 0; start < graph.edges.size(); ++start) {
    if (state[start] != State::unseen) continue;
    stack.assign(1, {start, 0});
    state[start] = State::open;
    while (!stack.empty()) {
      auto& [vertex, edge] = stack.back();
      if (edge == graph.edges[vertex].size()) {
        state[vertex] = State::done;
        stack.pop_back();
        continue;
      }
      const u32 to = graph.edges[vertex][edge++];
      if (state[to] == State::open) {
        std::vector<u32> cycle;
        for (const auto& frame : stack) {
          if (!cycle.empty() || frame.first == to) cycle.push_back(frame.first);
        }
        return cycle;
      }
      if (state[to] == State::unseen) {
        state[to] = State::open;
        stack.emplace_back(to, 0);
      }
    }
  }
  return {};
}

/// The first six links, and how many more there are.
std::string links_text(const Fabric& fabric, const std::vector<LinkId>& links) {
  constexpr size_t kMaxShown = 6;
  std::string text;
  for (size_t i = 0; i < std::min(links.size(), kMaxShown); ++i)
    text += (text.empty() ? "" : "; ") + link_name(fabric, links[i]);
  return links.size() <= kMaxShown ? text : text + fmt::format("; and {} more", links.size() - kMaxShown);
}

}  // namespace

std::string advice_against_deadlock(const World& world) {
  std::string classes;
  for (u32 c = 0; c < std::min(world.fabric.classes.size(), kClassNames.size()); ++c) {
    if (world.fabric.classes[c].pfc) classes += fmt::format("{}class.{}", classes.empty() ? "" : ", ", kClassNames[c]);
  }
  const std::string routes = world.routing.paths_are_given()
                                 ? "give paths that go up and then only down (routing.paths_file)"
                                 : "take a fabric whose routes go up and then only down (fat_tree, rail_optimised)";
  return fmt::format(
      "a run that deadlocks ends with exit code 3 and names the queues. To prevent it, {}; or turn PFC off (pfc = "
      "false and a limit in {}; roce.recovery = \"selective_repeat\" repairs losses best); or set pfc.watchdog, which "
      "empties stuck queues and loses their packets",
      routes, classes);
}

std::string buffer_dependency_cycle(const World& world) {
  const auto lossless = [](const TrafficClass& c) { return c.pfc; };
  if (std::none_of(world.fabric.classes.begin(), world.fabric.classes.end(), lossless)) return {};
  const DependencyGraph graph = dependency_graph(world);
  std::vector<LinkId> links;
  for (const u32 vertex : find_cycle(graph)) {
    if (vertex < graph.links) links.push_back(vertex);
  }
  return links_text(world.fabric, links);
}

}  // namespace heddle
