#include "host/check/requests_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "host/base/quantity_text.hpp"
#include "host/check/estimates/message_wire_bytes.hpp"
#include "io/results/requests.hpp"
#include "io/results/text_table.hpp"

namespace heddle {
namespace {

/// What the requests of one asker come to.
struct Requested {
  u64 requests = 0, bytes = 0;
  std::set<EndpointId> clients;
  std::map<EndpointId, u64> wire_bytes;    // that each server answers with
  bool at_given_instants = true;           // no request waits for the answers to another
  TimePs first_ps = kNever, last_ps = -1;  // of the instants

  void add(const World& world, const Request& request) {
    const Traffic& traffic = world.traffic;
    ++requests;
    for (u32 i = 0; i < request.questions + request.answers; ++i) {
      const Message& message = traffic.messages[traffic.of_requests[request.first + i]];
      const Qp& qp = traffic.qps[message.qp];
      if (i < request.questions) {
        clients.insert(qp.src);
        at_given_instants = at_given_instants && message.waits_for == 0;
        first_ps = std::min(first_ps, message.post_ps);
        last_ps = std::max(last_ps, message.post_ps);
        continue;
      }
      bytes += message.bytes;
      wire_bytes[qp.src] += message_wire_bytes(world, message);
    }
  }
};

/// How much of the time in which they are asked for answers take, which is known where no request waits for another.
std::string load_text(const Requested& requested, double longest_ps) {
  const TimePs within_ps = requested.last_ps - requested.first_ps;
  if (!requested.at_given_instants || within_ps == 0) return "";
  const auto most_ps = static_cast<double>(within_ps);
  return fmt::format("; all are asked for within {}: {}", time_text(within_ps),
                     longest_ps <= most_ps ? fmt::format("a load of {:.0f} %", 100 * longest_ps / most_ps)
                                           : "more than it can answer meanwhile");
}

/// The server whose answers take longest at its line rate.
std::string busiest_text(const World& world, const Requested& requested) {
  double longest_ps = 0;
  EndpointId busiest = requested.wire_bytes.begin()->first;
  for (const auto& [server, wire_bytes] : requested.wire_bytes) {
    const double ps = static_cast<double>(wire_bytes) * nic_ps_per_byte(world.fabric, server);
    if (ps <= longest_ps) continue;
    longest_ps = ps;
    busiest = server;
  }
  return fmt::format("           the busiest server, {}, answers with {} on the wire: at least {} at its rate{}\n",
                     world.fabric.names[busiest], size_text(requested.wire_bytes.at(busiest)),
                     time_text(static_cast<TimePs>(longest_ps)), load_text(requested, longest_ps));
}

}  // namespace

std::string requests_text(const World& world) {
  std::map<Asker, Requested> askers;
  for (const Request& request : world.traffic.requests) askers[asker_of(request)].add(world, request);
  std::string text;
  for (const auto& [asker, requested] : askers) {
    text += fmt::format("requests   {}: {} of {} to {}, which answer with {}\n", name_of(asker),
                        counted(requested.requests, "request"), counted(requested.clients.size(), "client"),
                        counted(requested.wire_bytes.size(), "server"), size_text(requested.bytes)) +
            busiest_text(world, requested);
  }
  return text;
}

}  // namespace heddle
