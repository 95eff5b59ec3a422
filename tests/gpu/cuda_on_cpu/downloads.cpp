#include "tests/gpu/cuda_on_cpu/downloads.hpp"

#include "tests/gpu/cuda_on_cpu/observer.hpp"

namespace cuda_on_cpu {
namespace {

thread_local Downloads of_this_thread;

class Counting final : public Observer {
 public:
  void launch_begins(const Launch&) override {}
  void block_begins(unsigned) override {}
  void launch_ends() override {}
  void copies(const Stream*, void*, const void*, std::size_t bytes, Way way) override {
    if (way != Way::to_host) return;
    ++of_this_thread.copies;
    of_this_thread.bytes += bytes;
  }
  void records(const Stream*, Moment&) override {}
  void waits(const Stream*, const Moment&) override {}
  void host_waits(const Stream*) override {}
};

}  // namespace

std::unique_ptr<Observer> make_observer() { return std::make_unique<Counting>(); }

Downloads downloads() { return of_this_thread; }

}  // namespace cuda_on_cpu
