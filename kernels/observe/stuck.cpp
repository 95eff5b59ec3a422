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
  for (u32 q = 0; q < v.first_link[v.switches] * v.settings.pfc_classes; ++q) {
    if (!is_stuck(q)) continue;
    for (u32 i = 0; i < waiting.count(q); ++i) ports.insert(waiting.stuck_port(q, i));
  }
  return {ports.begin(), ports.end()};
}

std::vector<StuckQueue> stuck_queues(const Model& model, std::span<const u64> ports) {
  const View& v = model.view;
  std::map<u32, std::set<u32>> sources;  // by queue: those that wait for it
  for (const u64 word : ports) {
    const StuckPort stuck = stuck_port_of(word);
    const u32 link = stuck.queue_link, into = v.egress[v.first_link[v.link_node[link]] + stuck.by.port].reverse;
    sources[queue_number(model.global_link[link], stuck.queue_class)].insert(
        queue_number(model.global_link[into], stuck.by.traffic_class));
  }
  std::vector<StuckQueue> stuck;
  stuck.reserve(sources.size());
  for (const auto& [queue, from] : sources) stuck.push_back({queue, {from.begin(), from.end()}});
  return stuck;
}

std::vector<u32> find_cycle(std::span<const StuckQueue> stuck) {
  std::map<u32, std::vector<u32>> waits_for;
  for (const StuckQueue& stuck_queue : stuck) waits_for[stuck_queue.queue];
  for (const StuckQueue& stuck_queue : stuck) {
    for (u32 from : stuck_queue.holds_from) {
      if (const auto waiting = waits_for.find(from); waiting != waits_for.end())
        waiting->second.push_back(stuck_queue.queue);
    }
  }
  // Depth-first search; a queue already on the current path closes a cycle.
  std::set<u32> done;
  std::vector<u32> path;
  for (const StuckQueue& start : stuck) {
    if (!done.contains(start.queue)) path.push_back(start.queue);
    while (!path.empty()) {
      std::vector<u32>& next = waits_for[path.back()];
      if (next.empty()) {
        done.insert(path.back());
        path.pop_back();
        continue;
      }
      const u32 queue = next.back();
      next.pop_back();
      if (const auto met = std::find(path.begin(), path.end(), queue); met != path.end()) return {met, path.end()};
      if (!done.contains(queue)) path.push_back(queue);
    }
  }
  return {};
}

}  // namespace heddle
