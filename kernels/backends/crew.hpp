// Workers of the CPU that share a tick, which may be as short as twenty microseconds, on cores that may not be theirs.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// How often a worker looks before it sleeps. To be woken takes as long as a short tick; to look on a core that another
/// program wants takes its time from it. So a worker learns: what came while it looked lets it look twice as often the
/// next time, what did not come a quarter as often.
class Patience {
 public:
  /// Returns a value of `word` for which `come` holds.
  template <class Come>
  u32 await(const std::atomic<u32>& word, const Come& come) {
    u32 now = word.load(std::memory_order_acquire);
    for (u32 i = 0; i < looks_; ++i) {
      if (come(now)) {
        looks_ = std::min(looks_ * 2, kMostLooks);
        return now;
      }
      relax();
      now = word.load(std::memory_order_acquire);
    }
    looks_ = std::max(looks_ / 4, kLeastLooks);
    for (; !come(now); now = word.load(std::memory_order_acquire)) word.wait(now, std::memory_order_acquire);
    return now;
  }

  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }

  static constexpr u32 kLeastLooks = 16, kMostLooks = 4096;  // of about 15 ns

 private:
  u32 looks_ = kMostLooks;
};

/// Workers that run a function together, again and again. Who calls it waits for nobody who has not come: it does what
/// is left itself. Where others cost more time than they save, because their cores are taken, it works alone for a
/// while, and longer each time.
class Crew {
 public:
  /// `all_come`: runs begin when all workers are there, for tests; nobody ever works alone.
  explicit Crew(u32 threads, bool all_come = false) : workers_(threads - 1), all_come_(all_come) {}
  ~Crew() {
    stop_ = true;
    open();
    gate_.notify_all();
    for (std::thread& t : members_) t.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls f(0) here, which returns when nothing is left to be taken, and at most once each f(1), f(2) ... in those
  /// workers that come before it has; returns when all have returned.
  template <class F>
  void run(const F& f) {
    if (workers_ == 0 || alone_ != 0) {
      alone_ -= alone_ != 0 ? 1 : 0;
      return f(0);
    }
    if (members_.empty()) start();
    call_ = [](const void* function, u32 worker) { (*static_cast<const F*>(function))(worker); };
    function_ = &f;
    came_.store(0, std::memory_order_relaxed);
    const auto begin = Clock::now();
    open();
    gate_.notify_all();
    while (all_come_ && came_.load(std::memory_order_relaxed) != workers_) std::this_thread::yield();
    f(0);
    const auto done = Clock::now();
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    await_those_inside();
    if (!all_come_) judge(done - begin, Clock::now() - done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// Of gate_: how many are inside, whether more may come, and which run it is (modulo 2^18: who misses one that often
  /// misses another).
  static constexpr u32 kInside = (1u << 13) - 1, kOpen = 1u << 13, kRun = 1u << 14;
  static constexpr u32 kLongestAlone = 1024;  // runs

  /// Not before the first run: until then the program may fork, as it does to try a file that may be damaged.
  void start() {
    for (u32 i = 1; i <= workers_; ++i) {
      members_.emplace_back([this, i] { serve(i); });
    }
  }

  void open() { gate_.store(((gate_.load(std::memory_order_relaxed) / kRun + 1) * kRun) | kOpen); }

  void await_those_inside() {
    for (u32 looks = 0; (gate_.load(std::memory_order_acquire) & kInside) != 0; ++looks) {
      if (looks < Patience::kMostLooks) {
        Patience::relax();
      } else {
        std::this_thread::yield();  // somebody's core has been taken
      }
    }
  }

  void judge(Clock::duration worked, Clock::duration waited) {
    const bool helped = came_.load(std::memory_order_relaxed) != 0 && waited <= worked;
    loss_ = helped ? loss_ / 2 : std::min(loss_ * 2 + 1, kLongestAlone);
    alone_ = helped ? 0 : loss_;
  }

  void serve(u32 worker) {
    Patience patience;
    for (u32 seen = 0;;) {
      u32 word = patience.await(gate_, [&](u32 now) { return (now & kOpen) != 0 && now / kRun != seen; });
      if (stop_) return;
      if (!gate_.compare_exchange_strong(word, word + 1, std::memory_order_acq_rel)) continue;
      seen = word / kRun;
      came_.fetch_add(1, std::memory_order_relaxed);
      call_(function_, worker);
      gate_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  const u32 workers_;  // beside the one that calls
  const bool all_come_;
  std::vector<std::thread> members_;
  alignas(64) std::atomic<u32> gate_{0};
  alignas(64) std::atomic<u32> came_{0};
  std::atomic<bool> stop_{false};
  void (*call_)(const void*, u32) = nullptr;
  const void* function_ = nullptr;
  u32 alone_ = 0, loss_ = 0;  // runs without the others: still to come, and after the next loss
};

}  // namespace heddle
