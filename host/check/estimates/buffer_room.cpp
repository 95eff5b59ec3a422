#include "host/check/estimates/buffer_room.hpp"

#include <limits>

#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// The number of lossless classes with data; `unbounded`: some class is neither paused nor limited.
struct DataClasses {
  double lossless = 0;
  bool unbounded = false;
};

DataClasses data_classes(const World& world) {
  DataClasses found;
  const std::vector<bool> used = classes_with_data(world);
  for (u32 c = 1; c < used.size(); ++c) {
    const TrafficClass& tc = world.fabric.classes[c];
    if (!used[c]) continue;
    found.lossless += tc.pfc ? 1 : 0;
    found.unbounded = found.unbounded || (!tc.pfc && tc.limit_bytes == 0 && tc.limit_alpha_q16 == 0);
  }
  return found;
}

/// Bytes that an ingress which owns its memory can hold; 0 for other links.
double own_bytes(const World& world, const Link& link, const DataClasses& classes) {
  if (link.ingress == kNone || link.pool != kNone) return 0;
  const IngressProfile& profile = world.fabric.ingress[link.ingress];
  return classes.lossless * (static_cast<double>(profile.xoff_bytes) + profile.headroom_bytes);
}

}  // namespace

double room_behind(const World& world, const std::vector<bool>& passed) {
  const Fabric& f = world.fabric;
  const DataClasses classes = data_classes(world);
  if (classes.unbounded) return std::numeric_limits<double>::infinity();
  std::vector<bool> counted(f.pools.size());
  double bytes = 0;
  for (LinkId l = 0; l < f.links.size(); ++l) {
    if (!passed[l]) continue;
    const Link& link = f.links[l];
    bytes += static_cast<double>(bytes_in_ps(link.lambda_ps, link.ps_per_byte_q16)) + own_bytes(world, link, classes);
    if (link.pool == kNone || counted[link.pool]) continue;
    counted[link.pool] = true;
    bytes += static_cast<double>(f.pools[link.pool].limit_bytes);
  }
  return bytes;
}

std::vector<double> room_of_queues(const World& world) {
  const Fabric& f = world.fabric;
  const DataClasses classes = data_classes(world);
  std::vector<double> room(f.nodes.size());
  for (const Pool& pool : f.pools) room[pool.node] += static_cast<double>(pool.limit_bytes);
  for (const Link& link : f.links) room[link.dst] += own_bytes(world, link, classes);
  double limits = 0;  // limits of classes that are not charged to an ingress
  const std::vector<bool> used = classes_with_data(world);
  for (u32 c = 1; c < used.size(); ++c) limits += used[c] && !f.classes[c].pfc ? f.classes[c].limit_bytes : 0;
  for (NodeId n = f.endpoints; n < f.nodes.size(); ++n)
    room[n] = classes.unbounded ? std::numeric_limits<double>::infinity() : room[n] + limits;
  return room;
}

}  // namespace heddle
