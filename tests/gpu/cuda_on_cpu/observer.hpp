// Interface for checks that need more than results: which work a device does, and the order that CUDA guarantees for
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuda_on_cpu {

struct Stream {};

/// Amount of work of every stream that is done at an instant, as an observer numbers it.
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
  /// Copies memory of the device or of the host; `from` is null where memory is set.
  virtual void copies(const Stream* stream, void* to, const void* from, std::size_t bytes, Way way) = 0;
  /// An event is recorded on a stream and keeps `moment`; another stream waits for it.
  virtual void records(const Stream* stream, Moment& moment) = 0;
  virtual void waits(const Stream* stream, const Moment& moment) = 0;
  /// The host waits for a stream.
  virtual void host_waits(const Stream* stream) = 0;
};

/// Makes the observer of a thread that has a device; null: there is none. A program links one definition:
/// downloads.cpp, or races/order.cpp.
std::unique_ptr<Observer> make_observer();

}  // namespace cuda_on_cpu
