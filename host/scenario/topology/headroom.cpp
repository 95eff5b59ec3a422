#include "host/scenario/topology/headroom.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/topology/assemble.hpp"
#include "kernels/base/units.hpp"

namespace heddle {

namespace {

/// The most bytes held after `open_ps` of arrivals when packets occupy whole cells, or their times are truncated: small
/// packets, or those truncated most, then count for more than their bytes.
u64 max_held_bytes(const Fabric& fabric, TimePs open_ps, u32 ps_per_byte_q16, u32 cell_bytes) {
  u64 most = 0;
  for (u32 frame = fabric.min_frame_bytes; frame <= fabric.max_frame_bytes;
       frame = cell_bytes == 1 ? frame + 1 : held_bytes(frame, cell_bytes) + 1) {
    const u64 ser = static_cast<u64>(ser_ps(frame + fabric.wire_gap_bytes, ps_per_byte_q16));
    const u64 held = held_bytes(frame, cell_bytes);
    most = std::max(most, static_cast<u64>((static_cast<unsigned __int128>(open_ps) * held + ser - 1) / ser));
  }
  return most + 2ull * held_bytes(fabric.max_frame_bytes + fabric.wire_gap_bytes, cell_bytes);
}

}  // namespace

u64 headroom_bytes(LinkId link, const Fabric& fabric, const Clocks& clocks) {
  const Link& l = fabric.links[link];
  const Link& r = fabric.links[l.reverse];
  const u32 max_wire_bytes = fabric.max_frame_bytes + fabric.wire_gap_bytes;
  const TimePs open_ps = l.lambda_ps + r.phi_ps + (TimePs{1} << clocks.slot_log2_ps) +
                         ser_ps(max_wire_bytes, r.ps_per_byte_q16) + ser_ps(kPauseWireBytes, r.ps_per_byte_q16);
  const u32 cell_bytes = fabric.nodes[l.dst].cell_bytes;
  if (cell_bytes != 1 || (l.ps_per_byte_q16 & kWholeNanoseconds) != 0)
    return max_held_bytes(fabric, open_ps, l.ps_per_byte_q16, cell_bytes);
  return bytes_in_ps(open_ps, l.ps_per_byte_q16) + 2ull * max_wire_bytes;
}

std::vector<LinkId> links_with_unsafe_headroom(const World& world) {
  std::vector<LinkId> unsafe;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const u32 profile = world.fabric.links[l].ingress;
    if (profile == kNone) continue;
    if (world.fabric.ingress[profile].headroom_bytes < headroom_bytes(l, world.fabric, world.clocks)) {
      unsafe.push_back(l);
    }
  }
  return unsafe;
}

void check_headroom(const World& world, const PfcOptions& pfc) {
  if (pfc.allow_unsafe_headroom) return;
  const std::vector<LinkId> unsafe = links_with_unsafe_headroom(world);
  if (unsafe.empty()) return;
  LinkId worst = unsafe.front();
  u64 worst_missing_bytes = 0, worst_needed_bytes = 0;
  for (LinkId l : unsafe) {
    const u64 needed = headroom_bytes(l, world.fabric, world.clocks);
    const u64 missing = needed - world.fabric.ingress[world.fabric.links[l].ingress].headroom_bytes;
    if (missing <= worst_missing_bytes) continue;
    worst = l;
    worst_missing_bytes = missing;
    worst_needed_bytes = needed;
  }
  throw ConfigError(fmt::format(
      "buffer.*.headroom: {} of {} lossless ingresses have less headroom than can arrive after a pause; worst is {}: "
      "{} B configured, {} B needed (packets would be lost although PFC is on). Set headroom to 0 to have it computed, "
      "or pfc.allow_unsafe_headroom = true to study the losses",
      unsafe.size(), world.fabric.links.size(), describe_link(world.fabric, worst),
      worst_needed_bytes - worst_missing_bytes, worst_needed_bytes));
}

}  // namespace heddle
