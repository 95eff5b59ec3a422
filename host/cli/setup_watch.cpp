#include "host/cli/setup_watch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "host/base/stage.hpp"
#include "host/cli/tell.hpp"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

void watch(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPatience{1000}, kLook{100};
  const Clock::time_point start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  const char* said = nullptr;
  while (!ended.wait_for(lock, stop, kLook, [&] { return stop.stop_requested(); })) {
    const char* stage = present_stage();
    if (stage == nullptr || stage == said || Clock::now() - start < kPatience) continue;
    tell(stderr, "setting up: {}\n", stage);
    said = stage;
  }
}

}  // namespace

SetupWatch::SetupWatch(bool quiet) {
  if (!quiet) thread_ = std::jthread(watch);
}

}  // namespace heddle
