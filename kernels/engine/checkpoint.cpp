// Saving the state of an engine and resuming from it.
#include <stdexcept>

#include "kernels/engine/impl.hpp"
#include "kernels/observe/explain.hpp"
#include "kernels/restart/save.hpp"

namespace heddle {

void Engine::save(const RecordSink& sink) const {
  const Impl& m = *impl_;
  if (exhausted()) throw std::logic_error("save: the memory for packets was used up, so some of them are lost");
  RecordBlocks records(sink);
  m.backend->fetch_all(m.tick.parity);
  save_state(m.model, m.tick, records);
  save_sums(m.model, m.backend->tally(), records);
  save_warnings(std::vector<u32>(m.warned.begin(), m.warned.end()), m.warnings, records);
  records.end();
}

bool Engine::needs(u64 record_head) const { return concerns(impl_->model, impl_->first_part, record_head); }

void Engine::load(std::span<const u64> records) {
  Impl& m = *impl_;
  if (!m.loader) m.loader = std::make_unique<StateLoader>(m.model, m.first_part);
  m.loader->take(records);
}

void Engine::go_on_at(TimePs now_ps) {
  Impl& m = *impl_;
  m.received.reset();
  if (!m.loader) throw std::logic_error("go_on_at: nothing has been loaded");
  m.tick = m.loader->finish(now_ps);
  m.warned.insert(m.loader->warned_links().begin(), m.loader->warned_links().end());
  m.warnings = m.loader->warnings();
  m.go_on_failed();
  m.backend->restore(m.loader->sums());
  m.loader.reset();
  m.checker.reset();  // the checker must follow a run from its start
}

/// A failure before the checkpoint still ends the run.
void Engine::Impl::go_on_failed() {
  const TimePs failed_ps = first_failed_qp(model.view).when_ps;
  if (failed_ps >= kNever) return;
  model.view.failure->kind = kFailureSeen;
  if (!part) horizon_ps = std::min(horizon_ps, failure_end_ps(failed_ps, model.view.settings.epoch_ps));
}

}  // namespace heddle
