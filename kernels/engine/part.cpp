// An engine of a part of a World, driven by a rank.
#include "kernels/engine/impl.hpp"
#include "kernels/observe/explain.hpp"

namespace heddle {

std::vector<u32> Engine::neighbours() const {
  std::vector<u32> ranks;
  for (const Neighbour& n : impl_->model.neighbours) ranks.push_back(n.rank);
  return ranks;
}

WordMemory& Engine::word_memory() { return impl_->backend->word_memory(); }

/// After packets were lost their places hold no valid data, so the messages are empty.
TimePs Engine::collect(std::span<WordBuffer> out) {
  if (!exhausted()) return impl_->backend->collect(impl_->tick.parity, out);
  for (WordBuffer& words : out) words.resize(0);
  return impl_->tick.from;
}

void Engine::deliver(std::span<const WordBuffer> in) {
  Impl& m = *impl_;
  m.received.reset();
  if (exhausted()) return;
  m.backend->deliver(m.tick.parity, in);
  m.note_exhausted();
}

/// Other parts may still cause something here, so time stops at `stop`.
void Engine::Impl::stay_at(TimePs stop) {
  if (tick.from > stop) tick.from = stop;
  backend->release(tick.parity, tick.from);
}

bool Engine::over() const { return impl_->ended() || !impl_->deadlock.empty(); }

TimePs Engine::next_event_ps() const { return impl_->backend->next_event_ps(impl_->tick.parity); }

TimePs Engine::next_beyond_horizon_ps() {
  Impl& m = *impl_;
  if (m.tick.from >= kNever) return kNever;
  if (m.tick.from < m.horizon_ps || m.broken()) return m.tick.from;
  m.backend->fetch_all(m.tick.parity);
  Tick next = m.tick;  // a copy: later queries read the state as the last tick has left it
  return look_ahead(m.model, next, m.tick_ps);
}

/// Stops at the horizon: the state is that of the horizon, however far away the next event is.
void Engine::skip_to(TimePs t) {
  Impl& m = *impl_;
  m.tick.from = std::max(m.tick.from, t >= kNever ? t : std::min(t, m.horizon_ps));
}

TimePs Engine::failed_ps() const { return impl_->qp_failed() ? first_failed_qp(impl_->model.view).when_ps : kNever; }

void Engine::end_at(TimePs horizon_ps) { impl_->horizon_ps = std::min(impl_->horizon_ps, horizon_ps); }

bool Engine::any_paused() const { return impl_->any_paused(); }

std::vector<StuckQueue> Engine::stuck() const { return impl_->stuck(); }

void Engine::judge(std::span<const StuckQueue> stuck) { impl_->judge(stuck); }

}  // namespace heddle
