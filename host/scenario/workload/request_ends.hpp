// Which hosts of a generator ask, and which answer; or which report, and which collect reports.
#pragma once

#include "host/scenario/workload/hosts.hpp"
#include "host/scenario/workload/options.hpp"

namespace heddle {

struct RequestEnds {
  Hosts servers;       // or collectors
  Hosts asking;        // the clients, and the servers if these are among them
  u32 servers_within;  // so many servers are among them

  u32 clients() const { return asking.count - servers_within; }
  EndpointId client(u32 number) const {
    const EndpointId host = asking.first + number;
    return servers_within != 0 && host >= servers.first ? host + servers_within : host;
  }
};

/// Throws ConfigError, which begins with generator[index]: no servers are named, hosts are not there, there is no
/// client, or fewer servers than a request asks.
RequestEnds request_ends(const GeneratorOptions& options, u32 index, const Fabric& fabric);

}  // namespace heddle
