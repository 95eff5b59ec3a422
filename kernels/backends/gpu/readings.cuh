// Reads the host's questions about the state between ticks on the device, so that only the answers are copied.
#pragma once

#include <span>
#include <vector>

#include "kernels/backends/gpu/copies.cuh"
#include "kernels/backends/gpu/device_wide.cuh"
#include "kernels/observe/link_counters.hpp"
#include "kernels/observe/quiet.hpp"
#include "kernels/observe/state_digest.hpp"
#include "kernels/observe/stuck_ports.hpp"
#include "kernels/team/algorithms.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

class Readings {
 public:
  /// Reads the state that `device` points to, in order with other work on the stream.
  Readings(const View& device, u32 switch_links, cudaStream_t stream)
      : links_(device.links),
        lossless_queues_(switch_links * device.settings.pfc_classes),
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

  /// Indexed by local link number; valid until the next call.
  std::span<const LinkCounters> link_counters(TimePs now_ps) {
    write_over(policy_, links_, CountersOfLink{view(), now_ps}, counters_.get<LinkCounters>());
    copies_.download(host_counters_.get(), counters_.get(), links_ * sizeof(LinkCounters), "link counters");
    return {host_counters_.get<LinkCounters>(), links_};
  }

  bool quiet(u32 parity) const { return sum_over(policy_, links_, LinkIsAtWork{view(), parity}) == 0; }

  /// Checks every packet of the stuck queues, which are rare, for its port; copies each port once.
  std::vector<u64> stuck_ports(TimePs paused_before_ps) const {
    const DeviceMemory queues(lossless_queues_ * sizeof(u32));
    const u32 stuck = select_over(policy_, lossless_queues_, IsStuck{view(), paused_before_ps}, queues.get<u32>());
    if (stuck == 0) return {};
    const DeviceMemory ends(stuck * sizeof(u32));
    const WaitingLossless waiting{view()};
    ends_over(policy_, stuck, CountOfStuck{waiting, queues.get<u32>()}, ends.get<u32>());
    u32 packets = 0;
    copies_.download(&packets, ends.get<u32>() + stuck - 1, sizeof(u32), "the number of stuck packets");
    const DeviceMemory keys(packets * sizeof(u64));
    const StuckPortOfPacket port_of{waiting, queues.get<u32>(), ends.get<u32>(), stuck};
    write_over(policy_, packets, port_of, keys.get<u64>());
    std::vector<u64> ports(sort_and_unify(policy_, packets, keys.get<u64>()));
    copies_.download(ports.data(), keys.get(), ports.size() * sizeof(u64), "stuck ports");
    return ports;
  }

  const View* view() const { return view_.get<View>(); }

 private:
  u32 links_, lossless_queues_, endpoints_;
  Copies copies_;
  DeviceWide policy_;
  DeviceMemory view_, counters_;
  PinnedMemory host_counters_;
};

}  // namespace heddle
