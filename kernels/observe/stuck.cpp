#include "kernels/observe/stuck.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace heddle {
namespace {

bool is_stuck(const View& v, u32 link, TimePs paused_before_ps) {
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const Queue& queue = v.queue[link * v.settings.classes + v.settings.pfc_class[p]];
    const PauseReader& reader = v.pause_reader[link * v.settings.pfc_classes + p];
    if (queue.sent != queue.tail && reader.paused && reader.since_ps <= paused_before_ps) return true;
  }
  return false;
}

/// Links by which the packets in the lossless queues of egress `link` came in.
std::vector<u32> sources_of(const Model& model, u32 link) {
  const View& v = model.view;
  std::set<u32> sources;
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const Queue& queue = v.queue[link * v.settings.classes + v.settings.pfc_class[p]];
    for (u32 i = queue.sent; i != queue.tail; ++i) {
      const u32 port = v.pool.packet[queue.ring.at(i)].ingress_port();
      sources.insert(model.global_link[v.egress[v.first_link[v.link_node[link]] + port].reverse]);
    }
  }
  return {sources.begin(), sources.end()};
}

}  // namespace

std::vector<StuckQueue> find_stuck(const Model& model, TimePs paused_before_ps) {
  const View& v = model.view;
  std::vector<StuckQueue> stuck;
  for (u32 l = 0; l < v.first_link[v.switches]; ++l) {
    if (is_stuck(v, l, paused_before_ps)) stuck.push_back({model.global_link[l], sources_of(model, l)});
  }
  std::sort(stuck.begin(), stuck.end(), [](const StuckQueue& a, const StuckQueue& b) { return a.link < b.link; });
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
  // Depth first; a link met again on the present path closes a cycle.
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
