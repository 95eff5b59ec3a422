#include "kernels/observe/stuck.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/observe/stuck_ports.hpp"

namespace heddle {

std::vector<u64> stuck_ports(const View& v, TimePs paused_before_ps) {
  const IsStuck is_stuck{&v, paused_before_ps};
  const WaitingLossless waiting{&v};
  std::set<u64> ports;
  for (u32 l = 0; l < v.first_link[v.switches]; ++l) {
    if (!is_stuck(l)) continue;
    for (u32 i = 0; i < waiting.count(l); ++i) ports.insert(stuck_port(l, waiting.ingress_port(l, i)));
  }
  return {ports.begin(), ports.end()};
}

std::vector<StuckQueue> stuck_queues(const Model& model, std::span<const u64> ports) {
  const View& v = model.view;
  std::map<u32, std::set<u32>> sources;  // in the World's numbers: a queue's link, and the links into it
  for (const u64 stuck : ports) {
    const u32 link = link_of_stuck_port(stuck), port = port_of_stuck_port(stuck);
    sources[model.global_link[link]].insert(
        model.global_link[v.egress[v.first_link[v.link_node[link]] + port].reverse]);
  }
  std::vector<StuckQueue> stuck;
  stuck.reserve(sources.size());
  for (const auto& [link, from] : sources) stuck.push_back({link, {from.begin(), from.end()}});
  return stuck;
}

std::vector<u32> find_cycle(std::span<const StuckQueue> stuck) {
  std::map<u32, std::vector<u32>> waits_for;
  for (const StuckQueue& queue : stuck) waits_for[queue.link];
  for (const StuckQueue& queue : stuck) {
    for (u32 from : queue.holds_from) {
      if (const auto waiting = waits_for.find(from); waiting != waits_for.end()) waiting->second.push_back(queue.link);
    }
  }
  // Depth-first search; a link already on the current path closes a cycle.
  std::set<u32> done;
  std::vector<u32> path;
  for (const StuckQueue& start : stuck) {
    if (!done.contains(start.link)) path.push_back(start.link);
    while (!path.empty()) {
      std::vector<u32>& next = waits_for[path.back()];
      if (next.empty()) {
        done.insert(path.back());
        path.pop_back();
        continue;
      }
      const u32 link = next.back();
      next.pop_back();
      if (const auto met = std::find(path.begin(), path.end(), link); met != path.end()) return {met, path.end()};
      if (!done.contains(link)) path.push_back(link);
    }
  }
  return {};
}

}  // namespace heddle
