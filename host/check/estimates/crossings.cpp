#include "host/check/estimates/crossings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "io/results/iterations.hpp"
#include "io/results/text_table.hpp"
#include "kernels/world/servers.hpp"

namespace heddle {
namespace {

using Bytes = std::array<double, kDistances>;

u32 zone_of(const World& world, EndpointId e) { return world.fabric.nodes[e].zone; }

Distance distance(const World& world, const Connection& c) {
  if (c.nvlink) return Distance::server;
  if (rack_of(world, c.src) == rack_of(world, c.dst)) return Distance::rack;
  return zone_of(world, c.src) == zone_of(world, c.dst) ? Distance::zone : Distance::zones;
}

double bytes_of_connection(const CollectivePlan& plan, const Job& job, u32 group, u32 connection) {
  double bytes = 0;
  for_each_schedule(plan, job, group, connection, [&](const Collective&, const SliceSchedule& schedule) {
    bytes += static_cast<double>(bytes_of(schedule));
  });
  return bytes;
}

/// Ordered pairs of different ranks that have the same key.
template <class Key>
double pairs_alike(const Job& job, const Key& key) {
  std::map<decltype(key(EndpointId{})), u64> count;
  for (const EndpointId gpu : job.ranks) ++count[key(gpu)];
  double pairs = 0;
  for (const auto& [same, n] : count) pairs += static_cast<double>(n * (n - 1));
  return pairs;
}

/// Adds an all-to-all in closed form. Every pair carries the same, so only the pairs of each distance are counted. A
/// server may span several racks, or a rack hold parts of servers.
void add_all_pairs(const World& world, const Job& job, Bytes& bytes) {
  const auto server = [&](EndpointId e) { return server_of(e, job.all_pairs.gpus_per_server); };
  const auto rack = [&](EndpointId e) { return rack_of(world, e); };
  const auto zone = [&](EndpointId e) { return zone_of(world, e); };
  const auto in_both = [&](const auto& a, const auto& b) {
    return pairs_alike(job, [&](EndpointId e) { return std::pair(a(e), b(e)); });
  };
  const double all = pairs_alike(job, [](EndpointId) { return 0; }), in_server = pairs_alike(job, server),
               in_rack = pairs_alike(job, rack) - in_both(rack, server),
               in_zone = pairs_alike(job, zone) - in_both(zone, server) - in_rack;
  const double each =
      job.all_pairs.channels * bytes_of_connection(world.collectives, job, 0, job.groups[0].first_connection);
  bytes[static_cast<u32>(Distance::server)] += each * in_server;
  bytes[static_cast<u32>(Distance::rack)] += each * in_rack;
  bytes[static_cast<u32>(Distance::zone)] += each * in_zone;
  bytes[static_cast<u32>(Distance::zones)] += each * (all - in_server - in_rack - in_zone);
}

void add_tables(const World& world, const Job& job, Bytes& bytes) {
  for (u32 g = 0; g < job.groups.size(); ++g) {
    for_each_alike(world.collectives, job, g, [&](u32 first, u32 count) {
      const double each = bytes_of_connection(world.collectives, job, g, first);
      for (u32 c = first; c < first + count; ++c)
        bytes[static_cast<u32>(distance(world, world.collectives.connections[c]))] += each;
    });
  }
}

u32 iterations_of(const World& world, u32 job) {
  const auto task = std::ranges::find(world.programs.tasks, job, &Task::job);
  return task == world.programs.tasks.end() ? 1 : task->iterations;
}

/// A table cell: bytes, and their share of the row.
std::string cell(double bytes, double all) {
  if (bytes == 0) return "-";
  return fmt::format("{} ({:.3g} %)", human_bytes(static_cast<u64>(std::min(bytes, 1e19))), 100 * bytes / all);
}

}  // namespace

std::vector<Crossings> crossings_of(const World& world) {
  std::map<std::pair<u32, Group>, Bytes> sums;
  for (const Job& job : world.collectives.jobs) {
    Bytes& bytes = sums[{job.number, job.group}];
    job.all_pairs ? add_all_pairs(world, job, bytes) : add_tables(world, job, bytes);
  }
  std::vector<Crossings> all;
  for (const auto& [of, bytes] : sums) {
    Crossings row{of.first, of.second, iterations_of(world, of.first), bytes};
    for (double& b : row.bytes) b /= row.iterations;
    all.push_back(row);
  }
  return all;
}

std::string crossings_text(const World& world) {
  const std::vector<Crossings> all = crossings_of(world);
  if (all.empty()) return "";
  TextTable table(2);
  table.row({"job", "group", "inside servers", "inside racks", "between racks", "between zones"});
  for (const Crossings& row : all) {
    double sum = 0;
    for (const double bytes : row.bytes) sum += bytes;
    if (sum == 0) continue;  // all of it is composed
    std::vector<std::string> cells = {std::to_string(row.job), std::string(group_name(row.group))};
    for (const double bytes : row.bytes) cells.push_back(cell(bytes, sum));
    table.row(std::move(cells));
  }
  const bool trains = std::ranges::any_of(world.programs.tasks, &Task::trains);
  return fmt::format("\npayload of collectives, by the way of it{}\n{}",
                     trains ? " (of training jobs: of one iteration)" : "", table.text());
}

}  // namespace heddle
