// What the lanes of the emulated GPU do, put together as warps of 32 would do it.
//
// Between two barriers a lane runs alone, so how its steps would line up with those of the other 31 is not seen. It is
// taken as well as it can be: the n-th time that a lane is in a basic block, or makes an access, since the last barrier
// goes with the n-th time of the others. So a warp is in a block as often as the lane that is in it most often, which
// is the least that a GPU can do; how far lanes really drift apart is nvcc's affair.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/gpu/cuda_on_cpu/observer.hpp"
#include "tests/gpu/races/arena.hpp"

namespace cuda_on_cpu::counts {

using std::uint32_t, std::uint64_t, std::uint8_t;

inline constexpr unsigned kWarpLanes = 32, kSectorBytes = 32;

/// Cycles of a warp that waits for one step after the other.
struct Latencies {
  double instruction, shared, hit, miss, barrier;
  bool overlap;  // loads of one pass through a basic block wait together
};

/// A place in the program: a basic block, or an access to the device's memory.
struct Place {
  uint32_t offset = 0;     // in the program
  float instructions = 1;  // what a pass through this basic block is worth
  bool is_access = false;
};
/// What one kernel did there. Of an access, sectors of 32 bytes: of all its executions by a warp, each alone; of them
/// those that its block had not read (or written) before in this launch, and that no block had in this tick.
struct Done {
  uint64_t lanes = 0, warps = 0;
  std::array<double, 2> critical = {};  // cycles of the longest paths, by both sets of latencies
  std::array<uint64_t, races::kUses> sectors = {}, of_block = {}, of_tick = {};
};
/// The longest path through one block of a launch: of each stretch between barriers the warp that takes longest.
struct Chain {
  unsigned kernel = 0, block = 0;
  uint64_t barriers = 0;
  double instructions = 0;
  std::array<double, 2> cycles = {};
};

class Counter final : public Observer {
 public:
  Counter();
  ~Counter() override;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void launch_begins(const Launch& launch) override;
  void block_begins(unsigned block) override;
  void launch_ends() override {}
  void lane_runs(unsigned lane) override;
  void lanes_have_stopped(bool of_warps) override;
  void copies(const Stream*, void*, const void*, std::size_t, Way) override {}
  void records(const Stream*, Moment&) override {}
  void waits(const Stream*, const Moment&) override {}
  void host_waits(const Stream*) override {}

  // By a lane that runs (hooks.cpp). `place`: in the program.
  void pass(uint32_t place);
  void access(const char* address, std::size_t bytes, races::Use use, uint32_t place);

  /// A kernel as it is launched: small and big switches are the same function.
  struct Kernel {
    const void* function;
    unsigned stream, threads;
    std::size_t shared_bytes;
    uint64_t launches, blocks;
  };
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<Place>& places() const { return places_; }
  /// [kernel][place]; may be shorter than places().
  const std::vector<std::vector<Done>>& done() const { return done_; }
  const std::vector<Chain>& chains() const { return chains_; }

  bool counting = false;
  std::vector<std::pair<uint32_t, float>> instructions;  // of basic blocks, by their places; before anything runs
  std::array<Latencies, 2> latencies = {};

 private:
  enum Space : uint8_t { kGlobal, kShared };
  struct Access {
    uint32_t place, nth, block, block_nth;
    uint64_t sector;
    races::Use use;
    Space space;
  };
  struct Spent {
    uint32_t place;
    std::array<double, 2> cycles;
  };
  struct Warp {
    std::vector<uint32_t> most;       // by place: passes of the lane that has most
    std::vector<uint32_t> touched;    // places with most != 0
    std::vector<Access> accesses;     // since all lanes of the warp waited for each other
    std::array<double, 3> cost = {};  // since the last barrier: instructions, and cycles by both sets of latencies
    std::vector<Spent> spent;         // those cycles, by place
  };
  struct Stamp {
    uint32_t block[2], tick[2];  // the last that has read, written
  };

  uint32_t number_of(uint32_t place, bool is_access);
  void end_lane();
  void end_warp(Warp& warp);
  void wait_for_loads(Warp& warp, std::size_t first, std::size_t end);
  void spend(Warp& warp, uint32_t place, const std::array<double, 2>& cycles);
  bool load(const Warp& warp, std::size_t first, std::size_t end);
  bool touch_sector(const Access& access, Done& done);

  std::vector<uint32_t> numbers_;  // by offset in the program, plus 1
  std::vector<Place> places_;
  std::vector<uint32_t> passes_;  // of the lane that runs, by place
  std::vector<uint32_t> lane_touched_;
  uint32_t block_place_ = 0;
  int warp_ = -1;
  std::vector<Warp> warps_;
  std::vector<Kernel> kernels_;
  std::vector<const Stream*> streams_;
  std::vector<std::vector<Done>> done_;
  std::vector<Chain> chains_;
  unsigned kernel_ = 0;
  uint32_t blocks_ = 0, tick_ = 0;
  Stamp* stamps_;
  const char* arena_;
};

/// That of this thread, while a kernel is counted; null otherwise.
inline thread_local constinit Counter* running = nullptr;
/// That of the device.
Counter& counter_of_device();

}  // namespace cuda_on_cpu::counts
