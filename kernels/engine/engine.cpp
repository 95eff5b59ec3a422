// Construction, advance and verification of an Engine.
#include "kernels/engine/engine.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/base/check.hpp"
#include "kernels/engine/impl.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/observe/stuck.hpp"

namespace heddle {

namespace {

/// Builds with HEDDLE_CHECK verify also runs that were not asked to be checked, but only up to this number of packet
/// checks, so that deep queues do not make tests take hours. The checks inside passes continue.
constexpr u64 kUnaskedLooks = 10'000'000;

}  // namespace

Engine::Engine(const World& world, const EngineOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->horizon_ps = world.clocks.horizon_ps;
  impl_->tick_ps = world.clocks.tick_ps;
  impl_->stuck_ps = world.clocks.stuck_ps;
  impl_->watchdog = world.fabric.watchdog_ps != 0;
  impl_->part = !options.part.rank_of_node.empty();
  if (impl_->part && options.check)
    throw std::invalid_argument("check: the invariants of a part of a world cannot be verified; use one rank");
  impl_->names = world.fabric.names;
  for (const Node& node : world.fabric.nodes) impl_->first_links.push_back(node.first_link);
  instantiate(world, options, impl_->model);
  impl_->first_part = options.part.rank == 0;
  impl_->asked_to_check = options.check;
  if (!impl_->part && (options.check || kChecked)) impl_->checker = std::make_unique<InvariantChecker>(impl_->model);
  impl_->backend = options.device == Device::gpu ? make_gpu_backend(impl_->model, options, world.clocks.tick_ps)
                                                 : make_cpu_backend(impl_->model, options, world.clocks.tick_ps);
}

Engine::~Engine() = default;

/// A checked run takes ticks one by one, so the backend cannot skip idle time; this function does.
void Engine::Impl::skip_idle(TimePs limit) {
  const TimePs next = earliest_ps(model.view, tick.parity);
  if (next >= kNever || next <= tick.from) return;
  tick.from = std::max(tick.from, std::min(next / tick_ps * tick_ps, limit));
}

void Engine::Impl::verify(const Tick& done, TimePs limit) {
  backend->fetch_all(tick.parity);
  if (tick.from < limit) skip_idle(limit);
  const std::string problem = checker->find_violation({done.from, done.to, tick.from, tick.parity}, backend->tally());
  if (problem.empty()) {
    if (!asked_to_check && checker->looks() > kUnaskedLooks) checker.reset();
    return;
  }
  throw std::logic_error(problem + "; this is a defect of the engine, so what it computed cannot be trusted");
}

bool Engine::advance(TimePs until) {
  Impl& m = *impl_;
  m.received.reset();
  while (!m.ended() && !m.broken() && m.tick.from < until) {
    const TimePs end = std::min(until, m.horizon_ps);
    const TimePs look = next_look_ps(m.tick.from, m.stuck_ps);
    const TimePs limit = std::min(end, look);
    const TimePs stop = m.checker ? tick_end(m.tick.from, m.tick_ps, limit) : limit;
    const Tick done{m.tick.from, stop, m.tick.parity};
    m.backend->advance(m.tick, m.tick_ps, stop, m.ticks);
    m.note_exhausted();
    if (m.part) m.stay_at(stop);
    if (m.model.view.failure->kind == kFailureNew) m.end_after_failure();
    if (m.checker && !m.broken()) m.verify(done, std::min(limit, m.horizon_ps));
    if (m.tick.from >= look && !m.part && !m.ended() && !m.broken() && m.any_paused()) m.judge(m.stuck());
  }
  return !m.ended() && !m.broken();
}

bool Engine::exhausted() const { return impl_->exhausted_ps.has_value(); }

TimePs Engine::now_ps() const { return impl_->tick.from; }

TimePs Engine::idle_until_ps() const {
  const Impl& m = *impl_;
  if (m.part || m.ended() || m.broken() || !m.quiet()) return m.tick.from;
  return std::max(m.tick.from, std::min(m.backend->next_event_ps(m.tick.parity), m.horizon_ps - 1));
}

u64 Engine::ticks() const { return impl_->ticks; }

u64 Engine::state_digest() const { return impl_->backend->state_digest(impl_->tick); }

u64 Engine::memory_bytes() const {
  const Model& model = impl_->model;
  const RingPool& pool = model.view.pool;
  const u64 entries = std::min(*pool.top + *pool.charged, pool.capacity);  // both keep counting beyond it
  return model.arrays.bytes() + model.used_bytes + entries * (sizeof(Packet) + sizeof(TimePs));
}

}  // namespace heddle
