// An engine of a part of a World, as the ranks drive it.
#include "kernels/engine/impl.hpp"
#include "kernels/observe/explain.hpp"

namespace heddle {

std::vector<u32> Engine::neighbours() const {
  std::vector<u32> ranks;
  for (const Neighbour& n : impl_->model.neighbours) ranks.push_back(n.rank);
  return ranks;
}

WordMemory& Engine::word_memory() { return impl_->backend->word_memory(); }

/// Where packets were lost, what is there in their place means nothing to others.
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

/// Others may still cause something here, so time does not run ahead of them.
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
  Tick next = m.tick;  // what is to be known of the state goes on being read where the last tick has left it
  return look_ahead(m.model, next, m.tick_ps);
}

/// Not beyond the end: the state is that of the horizon, however far away the next event would be.
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
