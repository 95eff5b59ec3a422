#include "kernels/observe/stuck.hpp"

#include <algorithm>

namespace heddle {
namespace {

bool is_stuck(const View& v, u32 link, TimePs paused_before_ps) {
  if (v.link_node[link] >= v.switches) return false;
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const Queue& queue = v.queue[link * v.settings.classes + v.settings.pfc_class[p]];
    const PauseReader& reader = v.pause_reader[link * v.settings.pfc_classes + p];
    if (queue.sent != queue.tail && reader.paused && reader.since_ps <= paused_before_ps) return true;
  }
  return false;
}

/// Whether a queue of egress `link` holds packets that came in by port `port` of its node.
bool holds_from(const View& v, u32 link, u32 port) {
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const Queue& queue = v.queue[link * v.settings.classes + v.settings.pfc_class[p]];
    for (u32 i = queue.sent; i != queue.tail; ++i) {
      if (v.pool.packet[queue.ring.at(i)].ingress_port() == port) return true;
    }
  }
  return false;
}

/// Stuck egresses that `link` waits for: at its far end, those that hold what came by it.
std::vector<u32> waits_for(const View& v, const std::vector<bool>& stuck, u32 link) {
  std::vector<u32> next;
  const u32 node = v.egress[link].dst_node;
  if (node >= v.switches) return next;
  for (u32 m = v.first_link[node]; m < v.first_link[node + 1]; ++m) {
    if (stuck[m] && holds_from(v, m, v.egress[link].dst_port)) next.push_back(m);
  }
  return next;
}

}  // namespace

StuckReport find_stuck(const Model& model, TimePs paused_before_ps) {
  const View& v = model.view;
  StuckReport report;
  std::vector<bool> stuck(v.links, false);
  for (u32 l = 0; l < v.links; ++l) {
    stuck[l] = is_stuck(v, l, paused_before_ps);
    if (stuck[l]) report.stuck.push_back(l);
  }
  // Depth first; a link met again on the present path closes a cycle.
  std::vector<u8> state(v.links, 0);  // 0 new, 1 on the path, 2 done
  std::vector<std::pair<u32, std::vector<u32>>> path;
  for (u32 start : report.stuck) {
    if (state[start] != 0) continue;
    state[start] = 1;
    path.push_back({start, waits_for(v, stuck, start)});
    while (!path.empty()) {
      auto& [link, next] = path.back();
      if (next.empty()) {
        state[link] = 2;
        path.pop_back();
        continue;
      }
      const u32 m = next.back();
      next.pop_back();
      if (state[m] == 1) {
        auto from = std::find_if(path.begin(), path.end(), [&](const auto& step) { return step.first == m; });
        for (; from != path.end(); ++from) report.cycle.push_back(from->first);
        return report;
      }
      if (state[m] == 0) {
        state[m] = 1;
        path.push_back({m, waits_for(v, stuck, m)});
      }
    }
  }
  return report;
}

}  // namespace heddle
