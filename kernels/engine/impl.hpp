// The members of an Engine, for its own files.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/backends/backend.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/observe/invariants/checker.hpp"
#include "kernels/restart/load.hpp"

namespace heddle {

struct Engine::Impl {
  TimePs horizon_ps, tick_ps;
  Model model;
  std::unique_ptr<Backend> backend;
  bool part = false;  // whether this is an engine of a Part
  Tick tick;
  u64 ticks = 0;
  TimePs stuck_ps;
  bool watchdog;                              // the watchdog breaks deadlocks, so they do not end the run
  std::unique_ptr<InvariantChecker> checker;  // null: invariants are not checked
  bool asked_to_check = false;
  std::vector<std::string> names;      // of the World's nodes
  std::vector<u32> first_links;        // of the World's nodes
  std::string deadlock;                // the cycle in words, once found
  std::optional<TimePs> exhausted_ps;  // memory for packets was used up; every instant before was simulated
  std::vector<std::string> warnings;
  std::set<u32> warned;                 // links
  std::unique_ptr<StateLoader> loader;  // only while a checkpoint is loaded
  bool first_part = true;
  std::optional<std::vector<u64>> received;  // bytes by message, at ending(); none: the state has changed since

  /// Name of an egress port, by its link's number in the World.
  std::string port_name(u32 link) const {
    const auto next = std::upper_bound(first_links.begin(), first_links.end(), link);
    const NodeId id = static_cast<NodeId>(next - first_links.begin() - 1);
    const std::string node = id < names.size() ? names[id] : "node " + std::to_string(id);
    return node + " port " + std::to_string(link - first_links[id]);
  }
  /// Call this whenever the backend may have used up the memory for packets.
  void note_exhausted() {
    if (!exhausted_ps && *model.view.pool.exhausted != 0) exhausted_ps = tick.from;
  }
  /// The bytes by message that ending() has read.
  const std::vector<u64>& received_at_the_end(const char* caller) const {
    if (!received) throw std::logic_error(std::string(caller) + ": ending() comes first");
    return *received;
  }
  /// Whether nothing is held, in flight, or paused.
  bool quiet() const;
  bool any_paused() const;
  std::vector<StuckQueue> stuck() const;
  void judge(std::span<const StuckQueue> stuck);
  void end_after_failure();
  void go_on_failed();
  void stay_at(TimePs stop);
  void skip_idle(TimePs limit);
  void verify(const Tick& done, TimePs limit);
  /// Every instant before last_ps() has been simulated, and no later one, except after memory was used up: then the
  /// tick that begins there has been simulated in part.
  TimePs last_ps() const { return std::min({tick.from, horizon_ps, exhausted_ps.value_or(kNever)}); }
  bool ended() const { return tick.from >= kNever || tick.from >= horizon_ps; }
  /// The run stops before its end. All parts know of a deadlock; a part without memory has to notify the others.
  bool broken() const { return exhausted_ps.has_value() || !deadlock.empty(); }
  bool qp_failed() const { return model.view.failure->kind != 0; }
};

}  // namespace heddle
