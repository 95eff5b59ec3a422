// Whether anything is left in the fabric, which queues are stuck, and what ends a run early.
#include "kernels/observe/stuck.hpp"

#include "kernels/engine/impl.hpp"
#include "kernels/observe/explain.hpp"

namespace heddle {

bool Engine::Impl::quiet() const {
  if (tick.from >= kNever) return true;
  return backend->quiet(tick.parity);
}

bool Engine::Impl::any_paused() const {
  const Tally tally = backend->tally();
  return tally.count[static_cast<u32>(EventKind::pause)] != tally.count[static_cast<u32>(EventKind::resume)];
}

std::vector<StuckQueue> Engine::Impl::stuck() const {
  return stuck_queues(model, backend->stuck_ports(tick.from - stuck_ps));
}

/// Judges queues that have been paused for stuck_ps without a departure: a cycle ends the run, any other queue causes
/// one warning. All parts get all queues, so one can warn of all, in the order of an engine of the World.
void Engine::Impl::judge(std::span<const StuckQueue> stuck) {
  const std::vector<u32> cycle = watchdog ? std::vector<u32>{} : find_cycle(stuck);
  if (!cycle.empty()) {
    deadlock = "deadlock: each of these paused queues waits for the next, the last for the first: ";
    const auto name_of = [&](u32 queue) {
      const bool detour = model.view.settings.detour_class != 0 && queue % kMaxClasses == kDetourClass;
      return port_name(link_of_queue(queue)) + (detour ? " (class detour)" : "");
    };
    for (const u32 queue : cycle) deadlock += name_of(queue) + " -> ";
    deadlock += name_of(cycle.front()) + "; a routing that never turns from down to up avoids such cycles";
    return;
  }
  if (!first_part) return;
  for (const StuckQueue& queue : stuck) {
    const u32 link = link_of_queue(queue.queue);
    if (!warned.insert(link).second) continue;
    warnings.push_back("pause storm: " + port_name(link) + " was paused for more than " +
                       std::to_string(stuck_ps / 1'000'000) + " us without a departure, until " +
                       std::to_string(tick.from / 1'000'000) + " us at least");
  }
}

/// Ends the run at an instant that does not depend on the tick in which the failure was noticed.
void Engine::Impl::end_after_failure() {
  backend->fetch();
  const TimePs failed_ps = first_failed_qp(model.view).when_ps;
  if (!part) horizon_ps = std::min(horizon_ps, failure_end_ps(failed_ps, model.view.settings.epoch_ps));
  backend->acknowledge_failure();
}

}  // namespace heddle
