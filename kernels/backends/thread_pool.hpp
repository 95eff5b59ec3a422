// A pool of CPU threads for ticks that may be as short as twenty microseconds, on cores that may be busy otherwise.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// Adaptive spin: if the wait ends while spinning, double the spin limit; otherwise quarter it and block. Waking a
/// blocked thread takes as long as a short tick; spinning takes processor time from other programs.
class AdaptiveSpin {
 public:
  /// Blocks until `ready(word)` holds; returns that value of `word`.
  template <class Ready>
  u32 wait(const std::atomic<u32>& word, const Ready& ready) {
    u32 now = word.load(std::memory_order_acquire);
    for (u32 i = 0; i < spin_limit_; ++i) {
      if (ready(now)) {
        spin_limit_ = std::min(spin_limit_ * 2, kMaxSpins);
        return now;
      }
      relax();
      now = word.load(std::memory_order_acquire);
    }
    spin_limit_ = std::max(spin_limit_ / 4, kMinSpins);
    for (; !ready(now); now = word.load(std::memory_order_acquire)) word.wait(now, std::memory_order_acquire);
    return now;
  }

  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }

  static constexpr u32 kMinSpins = 16, kMaxSpins = 4096;  // a spin takes about 15 ns

 private:
  u32 spin_limit_ = kMaxSpins;
};

/// Threads that run a function together, again and again. The caller does not wait for workers that have not started;
/// it does their share itself. Where the other threads cost more time than they save, because their cores are busy, the
/// caller works alone for a number of runs that doubles each time.
class ThreadPool {
 public:
  /// `all_start`: every run waits until all workers have started, and none is left to the caller alone (tests).
  explicit ThreadPool(u32 threads, bool all_start = false) : workers_(threads - 1), all_start_(all_start) {}
  ~ThreadPool() {
    stop_ = true;
    open();
    gate_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls f(0) in the caller's thread and f(i) at most once in each worker i that starts before f(0) has returned.
  /// f(0) returns when no work is left; run() returns when all calls have.
  template <class F>
  void run(const F& f) {
    if (workers_ == 0 || alone_ != 0) {
      alone_ -= alone_ != 0 ? 1 : 0;
      return f(0);
    }
    if (threads_.empty()) start();
    call_ = [](const void* function, u32 worker) { (*static_cast<const F*>(function))(worker); };
    function_ = &f;
    started_.store(0, std::memory_order_relaxed);
    const auto begin = Clock::now();
    open();
    gate_.notify_all();
    while (all_start_ && started_.load(std::memory_order_relaxed) != workers_) std::this_thread::yield();
    f(0);
    const auto done = Clock::now();
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    wait_for_running();
    if (!all_start_) judge(done - begin, Clock::now() - done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// Fields of gate_: how many workers run f, whether more may start, and the number of the run modulo 2^18.
  static constexpr u32 kRunning = (1u << 13) - 1, kOpen = 1u << 13, kRun = 1u << 14;
  static constexpr u32 kLongestAlone = 1024;  // in runs

  /// Starts the threads at the first run: before it the program may fork, to try a file that may be damaged.
  void start() {
    for (u32 i = 1; i <= workers_; ++i) {
      threads_.emplace_back([this, i] { serve(i); });
    }
  }

  void open() { gate_.store(((gate_.load(std::memory_order_relaxed) / kRun + 1) * kRun) | kOpen); }

  void wait_for_running() {
    for (u32 spins = 0; (gate_.load(std::memory_order_acquire) & kRunning) != 0; ++spins) {
      if (spins < AdaptiveSpin::kMaxSpins) {
        AdaptiveSpin::relax();
      } else {
        std::this_thread::yield();  // another program runs on a worker's core
      }
    }
  }

  void judge(Clock::duration worked, Clock::duration waited) {
    const bool helped = started_.load(std::memory_order_relaxed) != 0 && waited <= worked;
    loss_ = helped ? loss_ / 2 : std::min(loss_ * 2 + 1, kLongestAlone);
    alone_ = helped ? 0 : loss_;
  }

  void serve(u32 worker) {
    AdaptiveSpin spin;
    for (u32 seen = 0;;) {
      u32 word = spin.wait(gate_, [&](u32 now) { return (now & kOpen) != 0 && now / kRun != seen; });
      if (stop_) return;
      if (!gate_.compare_exchange_strong(word, word + 1, std::memory_order_acq_rel)) continue;
      seen = word / kRun;
      started_.fetch_add(1, std::memory_order_relaxed);
      call_(function_, worker);
      gate_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  const u32 workers_;  // without the caller
  const bool all_start_;
  std::vector<std::thread> threads_;
  alignas(64) std::atomic<u32> gate_{0};
  alignas(64) std::atomic<u32> started_{0};
  std::atomic<bool> stop_{false};
  void (*call_)(const void*, u32) = nullptr;
  const void* function_ = nullptr;
  u32 alone_ = 0, loss_ = 0;  // runs of the caller alone: number left, and number after the next loss
};

}  // namespace heddle
