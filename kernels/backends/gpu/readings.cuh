// What the host asks of the state between ticks, computed on the device: only the answers are copied.
#pragma once

#include <span>

#include "kernels/backends/gpu/copies.cuh"
#include "kernels/backends/gpu/device_wide.cuh"
#include "kernels/observe/link_counters.hpp"
#include "kernels/observe/state_digest.hpp"
#include "kernels/team/algorithms.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

class Readings {
 public:
  /// Of the state that `device` points to; in turn with what else is done on the stream.
  Readings(const View& device, cudaStream_t stream)
      : links_(device.links),
        endpoints_(device.endpoints),
        copies_(stream),
        policy_(device_wide(stream)),
        view_(sizeof(View)),
        counters_(links_ * sizeof(LinkCounters)),
        host_counters_(links_ * sizeof(LinkCounters)) {
    copies_.upload(view_.get(), &device, sizeof(View), "the view");
  }

  u64 state_digest(const Tick& tick) const {
    return sum_over(policy_, links_, LinkDigest{view(), tick.parity, tick.from}) +
           sum_over(policy_, endpoints_, EndpointDigest{view(), tick.from});
  }

  /// By local number; to be read before the next call.
  std::span<const LinkCounters> link_counters(TimePs now_ps) {
    write_over(policy_, links_, CountersOfLink{view(), now_ps}, counters_.get<LinkCounters>());
    copies_.download(host_counters_.get(), counters_.get(), links_ * sizeof(LinkCounters), "link counters");
    return {host_counters_.get<LinkCounters>(), links_};
  }

 private:
  const View* view() const { return view_.get<View>(); }

  u32 links_, endpoints_;
  Copies copies_;
  DeviceWide policy_;
  DeviceMemory view_, counters_;
  PinnedMemory host_counters_;
};

}  // namespace heddle
