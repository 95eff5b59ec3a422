#include "tests/gpu/cuda_on_cpu/lanes.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

}  // namespace

Lanes& lanes() {
  static thread_local Lanes of_this_thread;
  return of_this_thread;
}

/// The body of a fiber: kernel after kernel.
void Lanes::enter() {
  Lanes& all = lanes();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &all.scheduler_stack_, &all.scheduler_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&all.barrier_);
#endif
  Fiber& self = all.fibers_[all.lane_];
  for (;;) {
    (*all.kernel_)();
    self.ended = true;
    all.yield(self);
  }
}

void Lanes::make(Fiber& fiber) {
  fiber.stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  ucontext_t& begins = fiber.context.begins;
  getcontext(&begins);
  begins.uc_stack.ss_sp = fiber.stack.get();
  begins.uc_stack.ss_size = kStackBytes;
  begins.uc_link = nullptr;
  makecontext(&begins, &Lanes::enter, 0);
#if defined(__SANITIZE_THREAD__)
  fiber.thread_sanitizer = __tsan_create_fiber(0);
#endif
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void Lanes::switch_over(Context& from, Context& to) { swapcontext(&from.begins, &to.begins); }
#else
void Lanes::switch_over(Context& from, Context& to) {
  from.begun = true;
  if (_setjmp(from.goes_on) != 0) return;
  if (to.begun) _longjmp(to.goes_on, 1);
  setcontext(&to.begins);
}
#endif

void Lanes::resume(unsigned lane) {
  Fiber& to = fibers_[lane];
  lane_ = lane;
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.thread_sanitizer, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&scheduler_address_sanitizer_, to.stack.get(), kStackBytes);
#endif
  switch_over(scheduler_, to.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(scheduler_address_sanitizer_, nullptr, nullptr);
#endif
}

void Lanes::yield(Fiber& from) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(&barrier_);
  __tsan_switch_to_fiber(scheduler_thread_sanitizer_, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.address_sanitizer, scheduler_stack_, scheduler_stack_bytes_);
#endif
  switch_over(from.context, scheduler_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.address_sanitizer, nullptr, nullptr);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&barrier_);
#endif
}

void Lanes::run(unsigned threads, const std::function<void()>& kernel) {
  kernel_ = &kernel;
  while (fibers_.size() < threads) make(fibers_.emplace_back());
  for (unsigned lane = 0; lane < threads; ++lane) {
    fibers_[lane].ended = false;
    fibers_[lane].votes = 0;
  }
  votes_[0].store(false, std::memory_order_relaxed);
#if defined(__SANITIZE_THREAD__)
  scheduler_thread_sanitizer_ = __tsan_get_current_fiber();
  __tsan_release(&barrier_);
#endif
  for (bool any = true; any;) {
    order_ = order_ * 6364136223846793005ull + 1442695040888963407ull;
    unsigned stride = static_cast<unsigned>(order_ >> 33) % threads | 1u;
    while (std::gcd(stride, threads) != 1) stride += 2;
    const unsigned first = static_cast<unsigned>(order_ >> 40) % threads;
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned lane = static_cast<unsigned>((first + std::uint64_t{i} * stride) % threads);
      if (fibers_[lane].ended) continue;
      resume(lane);
    }
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(&barrier_);
    __tsan_release(&barrier_);
#endif
    check_barrier(threads);
    any = !fibers_[0].ended;
  }
}

void Lanes::check_barrier(unsigned threads) {
  for (unsigned lane = 1; lane < threads; ++lane) {
    const Fiber &one = fibers_[0], &other = fibers_[lane];
    if (one.ended == other.ended && (one.ended || one.at == other.at)) continue;
    const char* const how = one.ended != other.ended ? "one has ended while the other waits at a barrier"
                                                     : "they wait at different barriers";
    fibers_.clear();  // these fibers can never leave the kernel
    throw std::logic_error("lanes 0 and " + std::to_string(lane) + " of a block part: " + how);
  }
}

void Lanes::wait(Barrier at) {
  Fiber& self = fibers_[lane_];
  self.at = at;
  yield(self);
}

bool Lanes::any(bool value) {
  const unsigned vote = fibers_[lane_].votes++;
  votes_[(vote + 1) % 3].store(false, std::memory_order_relaxed);
  if (value) votes_[vote % 3].store(true, std::memory_order_relaxed);
  wait(Barrier::vote);
  return votes_[vote % 3].load(std::memory_order_relaxed);
}

unsigned Lanes::shuffle_up(unsigned value, unsigned delta) {
  const unsigned self = lane_;
  if (shuffled_.size() < fibers_.size()) shuffled_.resize(fibers_.size());
  shuffled_[self] = value;
  wait(Barrier::shuffle);
  const unsigned got = self % 32 >= delta ? shuffled_[self - delta] : value;
  wait(Barrier::shuffle);  // all have read
  return got;
}

}  // namespace cuda_on_cpu
