#include "host/scenario/topology/frame_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

/// The size of some packet on the wire, and the key that gives it.
struct WireSize {
  std::string_view key;
  u32 bytes;
};

/// The largest and the smallest packets of every kind. An empty message of RoCE is a packet of headers and RETH.
std::vector<WireSize> wire_sizes(const World& world, bool empty_messages) {
  const RoceSettings& roce = world.roce;
  const TcpSettings& tcp = world.tcp;
  std::vector<WireSize> sizes;
  if (has_class_of(world.fabric, Transport::roce)) {
    const u32 least = empty_messages ? std::min(roce.reth_bytes, 1u) : 1;
    sizes = {{"roce.mtu", roce.mtu_bytes + roce.data_overhead_wire_bytes + roce.reth_bytes},
             {"roce.data_overhead", roce.data_overhead_wire_bytes + least},
             {"roce.ack_wire", roce.ack_wire_bytes},
             {"roce.cnp_wire", roce.cnp_wire_bytes},
             {"roce.cts_wire", roce.cts_wire_bytes}};
  }
  if (has_class_of(world.fabric, Transport::tcp)) {
    sizes.push_back({"tcp.segment", tcp.segment_bytes + tcp.overhead_wire_bytes});
    sizes.push_back({"tcp.overhead", tcp.overhead_wire_bytes});
  }
  return sizes;
}

}  // namespace

void set_frame_sizes(World& world, bool empty_messages) {
  Fabric& fabric = world.fabric;
  fabric.max_frame_bytes = 0;
  fabric.min_frame_bytes = kMaxFrameBytes;
  for (const auto& [key, wire_bytes] : wire_sizes(world, empty_messages)) {
    const u32 frame_bytes = wire_bytes - std::min(wire_bytes, fabric.wire_gap_bytes);
    if (frame_bytes == 0 || frame_bytes > kMaxFrameBytes) {
      throw ConfigError(fmt::format(
          "{}: packets of {} B on the wire do not fit; a frame (wire less link.wire_gap, {} B) has 1 to {} B", key,
          wire_bytes, fabric.wire_gap_bytes, kMaxFrameBytes));
    }
    fabric.max_frame_bytes = std::max(fabric.max_frame_bytes, frame_bytes);
    fabric.min_frame_bytes = std::min(fabric.min_frame_bytes, frame_bytes);
  }
}

}  // namespace heddle
