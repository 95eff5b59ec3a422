// The order of work on a device that CUDA guarantees: launches and copies of one stream in turn, those of others only
// by events and by a host that waits; blocks of a launch in no order.
#pragma once

#include <map>

#include "tests/gpu/cuda_on_cpu/observer.hpp"
#include "tests/gpu/races/arena.hpp"

namespace cuda_on_cpu::races {

/// Unordered accesses of two agents to the same byte, at least one of them a write, and not both atomic.
struct Race {
  Use first_use, second_use;
  std::uint32_t first_place, second_place;   // places in the program; the first is the last of its kind nearby
  const void *first_kernel, *second_kernel;  // null: a copy
  unsigned first_block, second_block;        // kSeveral: several blocks, or unknown
};
inline constexpr unsigned kSeveral = ~0u;

/// The order of one thread's device. An agent is a block of a launch, or a copy. An epoch begins with work that comes
/// after all earlier work; in an epoch, an agent has a number.
class Order final : public Observer {
 public:
  void launch_begins(const Launch& launch) override;
  void block_begins(unsigned block) override;
  void launch_ends() override;
  void copies(const Stream* stream, void* to, const void* from, std::size_t bytes, Way way) override;
  void records(const Stream* stream, Moment& moment) override;
  void waits(const Stream* stream, const Moment& moment) override;
  void host_waits(const Stream* stream) override;

  /// Called by the running agent, for bytes `first` to `last` of a granule.
  void use(Granule& granule, unsigned first, unsigned last, Use use, std::uint32_t place);

 private:
  struct Work {
    std::size_t stream;
    std::uint64_t number;  // counts the work of all streams, from 1
    Moment before;         // work done when it begins
    unsigned first_agent, agents;
    const void* kernel;
  };

  std::size_t number_of(const Stream* stream);
  void begin(const Stream* stream, unsigned agents, const void* kernel);
  void run(unsigned agent);
  std::size_t work_of(std::uint16_t agent) const;
  bool is_in_order(std::uint16_t agent) const;
  std::uint16_t joined(std::uint16_t agent) const;
  void report(std::uint16_t agent, Use before, Use now, std::uint32_t place_before, std::uint32_t place) const;

  std::map<const Stream*, std::size_t> numbers_;
  std::vector<Moment> done_;           // work done before the next work of each stream
  std::vector<std::uint64_t> newest_;  // newest work of each stream
  Moment host_;
  std::uint64_t count_ = 0;
  std::uint32_t epoch_ = 0;
  std::vector<Work> epoch_work_;  // the last one is running
  std::uint16_t agent_ = 0;
};

/// The destination of accesses on this thread (hooks.cpp): the running work; bytes == 0: none.
struct Watch {
  const char* memory = nullptr;
  std::size_t bytes = 0;
  Granule* granules = nullptr;
  Order* order = nullptr;
};
inline thread_local constinit Watch watch;

}  // namespace cuda_on_cpu::races
