// Blocks of a CUDA kernel on one CPU thread: every lane is a fiber, and runs until a barrier or its end.
//
// Between two barriers the lanes run one after the other, each time in another order, so that races between them change
// the result. The sanitizers know the fibers: AddressSanitizer knows whose stack it is on; to ThreadSanitizer every
// lane is a thread, and a barrier the only order between them, so it reports races of lanes.
#pragma once

#include <ucontext.h>
#include <csetjmp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace cuda_on_cpu {

/// Kinds of barriers. All lanes of a block must wait at the same.
enum class Barrier { block, vote, shuffle };

class Lanes {
 public:
  /// Runs `kernel` on every lane of a block. Throws std::logic_error when lanes wait at different barriers, or some
  /// have ended while others wait.
  void run(unsigned threads, const std::function<void()>& kernel);

  // These are called by a running lane.
  void wait(Barrier at);
  bool any(bool value);  // whether the value of any lane is true
  unsigned shuffle_up(unsigned value, unsigned delta);
  unsigned lane() const { return lane_; }

 private:
  /// ucontext begins a fiber, but its switches make system calls; so plain jumps switch, except under sanitizers.
  struct Context {
    ucontext_t begins;
    jmp_buf goes_on;
    bool begun = false;
  };
  struct Fiber {
    Context context;
    std::unique_ptr<char[]> stack;
    void* address_sanitizer = nullptr;
    void* thread_sanitizer = nullptr;
    bool ended = false;
    Barrier at = Barrier::block;
    unsigned votes = 0;
  };

  static void enter();
  void make(Fiber& fiber);
  void resume(unsigned lane);
  void yield(Fiber& from);
  static void switch_over(Context& from, Context& to);
  void check_barrier(unsigned threads);

  std::deque<Fiber> fibers_;  // kept as long as the thread lives: they must not move, and making them takes time
  std::vector<unsigned> shuffled_;
  std::atomic<bool> votes_[3] = {};  // current vote, previous vote that lanes still read, next vote that is cleared
  const std::function<void()>* kernel_ = nullptr;
  Context scheduler_;
  void* scheduler_address_sanitizer_ = nullptr;
  void* scheduler_thread_sanitizer_ = nullptr;
  const void* scheduler_stack_ = nullptr;
  std::size_t scheduler_stack_bytes_ = 0;
  unsigned lane_ = 0;
  std::uint64_t order_ = 1;
  char barrier_ = 0;  // its address stands for the barrier
};

/// The lanes of this thread.
Lanes& lanes();

}  // namespace cuda_on_cpu
