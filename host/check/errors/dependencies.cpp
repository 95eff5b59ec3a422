// Cycles of buffer dependences: with lossless classes, links that wait for each other in a cycle deadlock.
#include <algorithm>

#include "host/check/errors/dependency_graph.hpp"
#include "host/check/errors/routes.hpp"
#include "host/scenario/topology/link_types.hpp"

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

}  // namespace

std::string buffer_dependency_cycle(const World& world) {
  const auto lossless = [](const TrafficClass& c) { return c.pfc; };
  if (std::none_of(world.fabric.classes.begin(), world.fabric.classes.end(), lossless)) return {};
  const DependencyGraph graph = dependency_graph(world);
  std::string text;
  for (const u32 vertex : find_cycle(graph)) {
    if (vertex < graph.links) text += (text.empty() ? "" : "; ") + link_name(world.fabric, vertex);
  }
  return text;
}

}  // namespace heddle
