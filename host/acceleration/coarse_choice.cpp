#include "host/acceleration/coarse_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "host/acceleration/coarsen.hpp"
#include "host/controller/settings.hpp"
#include "host/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

constexpr std::array<u32, 4> kChoices = {16, 8, 4, 2};
/// Of a message that carries most bytes, at least: with fewer a time is no straight line of the MTUs of a packet any
/// more.
constexpr u32 kLeastPackets = 8;

/// [size] bytes that travel in messages of that size.
using BytesBySize = std::map<u64, double>;

void add_group(const World& world, const Job& job, u32 group, BytesBySize& sizes) {
  const CollectivePlan& plan = world.collectives;
  const auto add = [&](u32 first, double connections, u32 messages) {
    for_each_law(plan, job, group, first, [&](const Collective&, const SliceLaw& law) {
      for_each_size(law, [&](u32 slices, u32 bytes) {
        sizes[(bytes + messages - 1) / messages] += connections * slices * bytes;
      });
    });
  };
  if (job.all_pairs) {
    const u32 messages = job.scaling == QpScaling::split ? job.all_pairs.qps : 1;
    return add(job.groups[group].first_connection, static_cast<double>(network_pairs(job)) * job.all_pairs.channels,
               messages);
  }
  for_each_alike(plan, job, group, [&](u32 first, u32 count) {
    std::map<u32, u32> connections;  // [messages of a slice] over the network
    for (u32 c = first; c < first + count; ++c) {
      const Connection& connection = plan.connections[c];
      if (!connection.nvlink) ++connections[job.scaling == QpScaling::split ? connection.qps : 1];
    }
    for (const auto& [messages, number] : connections) add(first, number, messages);
  });
}

BytesBySize bytes_by_size(const World& world) {
  BytesBySize sizes;
  for (const Message& m : world.traffic.messages) sizes[m.bytes] += static_cast<double>(m.bytes);
  for (const Job& job : world.collectives.jobs) {
    for (u32 g = 0; g < job.groups.size(); ++g) add_group(world, job, g, sizes);
  }
  return sizes;
}

bool data_may_be_dropped(const World& world) {
  const std::vector<bool> used = classes_with_data(world);
  for (u32 c = 0; c < used.size(); ++c) {
    const TrafficClass& cls = world.fabric.classes[c];
    if (used[c] && (!cls.pfc || cls.limit_bytes != 0)) return true;
  }
  return std::any_of(world.fabric.links.begin(), world.fabric.links.end(), [&](const Link& link) {
    return world.fabric.nodes[link.dst].kind == NodeKind::node_switch && link.ingress == kNone;
  });
}

/// Slices that take turns on several queue pairs, each with its way: a small shift of time changes which of them meet.
bool slices_take_turns(const World& world) {
  const CollectivePlan& plan = world.collectives;
  return std::any_of(plan.jobs.begin(), plan.jobs.end(), [&](const Job& job) {
    if (job.scaling != QpScaling::round_robin) return false;
    if (job.all_pairs) return job.all_pairs.qps > 1;
    return std::any_of(job.groups.begin(), job.groups.end(), [&](const LaneGroup& group) {
      const auto first = plan.connections.begin() + group.first_connection;
      return std::any_of(first, first + group.connections, [](const Connection& c) { return !c.nvlink && c.qps > 1; });
    });
  });
}

}  // namespace

DominantMessage dominant_message(const World& world) {
  const BytesBySize sizes = bytes_by_size(world);
  double left = 0;
  for (const auto& [size, bytes] : sizes) left += bytes;
  left /= 2;
  for (auto it = sizes.rbegin(); it != sizes.rend(); ++it) {
    left -= it->second;
    if (left <= 0) return {it->first, (it->first + world.roce.mtu_bytes - 1) / world.roce.mtu_bytes};
  }
  return {};
}

std::string why_not_coarse(const World& world) {
  if (any_policy(world, &PolicyInfo::divides_flows))
    return "the routing policy chooses a way for single packets or flowlets, of which coarse packets make fewer";
  if (demands_are_measured(world))
    return "routing.traffic_engineering.demands = \"measured\" measures the run that it steers";
  if (data_may_be_dropped(world))
    return "data travels without PFC, or in a class with a limit, so packets may be dropped: how many, and what that "
           "costs, depends on their size";
  if (slices_take_turns(world))
    return "slices take turns on several queue pairs (job.qp_scaling = \"round_robin\"): random worlds were off by up "
           "to 21 %, and their estimates did not say so; qp_scaling = \"split\" or qps_per_connection = 1 can be told";
  if (world.roce.window_packets != 0)
    return "roce.window_packets limits what is outstanding, and how long a full window waits for an ACK hangs on "
           "single packets";
  if (!world.failures.none()) return "links fail, and losses and timeouts are those of single packets";
  if (!world.traffic.slow_receivers.empty()) return "a slow receiver's buffer is drained packet by packet";
  const auto cut = [](const Link& link) { return (link.ps_per_byte_q16 & kWholeNanoseconds) != 0; };
  if (std::any_of(world.fabric.links.begin(), world.fabric.links.end(), cut))
    return "link.whole_nanoseconds cuts the time of every packet, of which coarse packets make fewer";
  if (!world.congestion.none())
    return fmt::format(
        "{} cuts rates by single packets that are marked: with packets of 2 MTUs a permutation of 128 hosts ended 13 % "
        "off, and its estimate did not say so; roce.congestion_control = \"none\" can be told",
        world.congestion.control);
  return "";
}

u32 choose_coarse(const World& world, const AccelerationOptions& options, const std::string& where) {
  const std::string start = where + ": acceleration.mode = \"bounded\": ";
  const std::string instead = "; set mode = \"exact\", which changes no result, or \"off\"";
  if (const std::string why = why_not_coarse(world); !why.empty()) throw ConfigError(start + why + instead);
  const DominantMessage message = dominant_message(world);
  const u32 of_frame = most_mtus_of_packet(world.roce) / 2;  // the second run's are twice as large
  const u32 of_messages = static_cast<u32>(std::min<u64>(message.packets / kLeastPackets, 1u << 20));
  const u32 most = std::min(of_frame, of_messages);
  const std::string limits = fmt::format(
      "most bytes travel in messages of {} packets of roce.mtu, of which {} at least must be left{}", message.packets,
      kLeastPackets,
      of_frame < 16 ? fmt::format("; a frame can hold {} MTUs, half of which the second run needs", 2 * of_frame) : "");
  if (most < 2) throw ConfigError(start + limits + instead);
  if (options.coarse == 0) return *std::find_if(kChoices.begin(), kChoices.end(), [&](u32 k) { return k <= most; });
  if (std::find(kChoices.begin(), kChoices.end(), options.coarse) == kChoices.end())
    throw ConfigError(fmt::format("{}: acceleration.coarse = {}: packets carry 2, 4, 8 or 16 MTUs; 0 chooses", where,
                                  options.coarse));
  if (options.coarse > most)
    throw ConfigError(fmt::format("{}: acceleration.coarse = {}, but at most {} can be told apart from the truth: {}",
                                  where, options.coarse, most, limits));
  return options.coarse;
}

}  // namespace heddle
