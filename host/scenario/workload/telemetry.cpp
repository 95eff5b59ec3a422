// Telemetry: hosts report to collectors, each at instants of its own, as switches and servers do to a monitoring
// system.
#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/workload/generators.hpp"
#include "host/scenario/workload/request_ends.hpp"

namespace heddle {
namespace {

[[noreturn]] void refuse(const GeneratorInput& in, const char* key, const char* why) {
  throw ConfigError(fmt::format("generator[{}].{}: {}", in.index, key, why));
}

}  // namespace

u64 max_telemetry_reports(const GeneratorOptions& options) {
  return options.interval_ps == 0
             ? 0
             : (static_cast<u64>(options.duration_ps) - 1) / static_cast<u64>(options.interval_ps) + 1;
}

/// Host `number` reports to one collector, so that each has one connection; collectors get hosts in turn.
void generate_telemetry(const GeneratorInput& in) {
  const GeneratorOptions& o = in.options;
  if (o.interval_ps == 0)
    refuse(in, "interval", "telemetry needs the time between two reports of a host; set it, to \"1 s\" for example");
  const RequestEnds ends = request_ends(o, in.index, in.world.fabric);
  const u32 connections = in.traffic.add_connections();
  const u64 before = in.traffic.messages();
  for (u32 number = 0; number < ends.clients(); ++number) {
    const u64 draw = chance(in, number, GeneratorDraw::phase);
    const auto phase = static_cast<unsigned __int128>(draw) * static_cast<u64>(o.interval_ps) >> 64;
    const EndpointId collector = ends.servers.first + number % ends.servers.count;
    for (TimePs after_ps = static_cast<TimePs>(phase); after_ps < o.duration_ps; after_ps += o.interval_ps) {
      in.traffic.use(connections, in.traffic.add_message(ends.client(number), collector, o.bytes, o.start_ps + after_ps,
                                                         in.traffic_class, {"generator", in.index}));
    }
  }
  if (in.traffic.messages() == before) {
    refuse(in, "duration",
           "is over before any host reports; give at least the interval, from whose beginning on each host begins "
           "somewhere");
  }
}

}  // namespace heddle
