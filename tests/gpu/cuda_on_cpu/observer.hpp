// Who is told what a device does, and in which order CUDA promises it: for checks that look at more than results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuda_on_cpu {

struct Stream {};

/// How much of the work of every stream has been done at an instant, as an observer numbers it.
using Moment = std::vector<std::uint64_t>;

/// A kernel as it is launched.
struct Launch {
  const Stream* stream;
  const void* kernel;
  unsigned blocks, threads;
  std::size_t shared_bytes;
};

enum class Way { to_device, to_host };

/// Calls come from the thread of the device, in the order in which the work is done here.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const Launch& launch) = 0;
  virtual void block_begins(unsigned block) = 0;
  virtual void launch_ends() = 0;
  /// A lane of the block runs, as far as a barrier or its end; all lanes have come to it. `of_warps`: at a shuffle,
  /// where on a GPU the lanes of each warp alone wait for each other.
  virtual void lane_runs(unsigned /*lane*/) {}
  virtual void lanes_have_stopped(bool /*of_warps*/) {}
  /// Memory of the device or of the host; `from` is null where memory is set.
  virtual void copies(const Stream* stream, void* to, const void* from, std::size_t bytes, Way way) = 0;
  /// An event is recorded on a stream, and what it has to hold is kept; another stream waits for it.
  virtual void records(const Stream* stream, Moment& moment) = 0;
  virtual void waits(const Stream* stream, const Moment& moment) = 0;
  /// The host waits for a stream.
  virtual void host_waits(const Stream* stream) = 0;
};

/// For each thread that has a device; null: nobody looks on. A program links one of those who look on: downloads.cpp,
/// or races/order.cpp.
std::unique_ptr<Observer> make_observer();

}  // namespace cuda_on_cpu
