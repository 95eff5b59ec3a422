#include "host/scenario/workload/request_ends.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/topology/other_fabric.hpp"

namespace heddle {
namespace {

std::string key(u32 index, std::string_view name) { return fmt::format("generator[{}].{}", index, name); }

/// How many hosts of the fabric are storage servers: the last ones.
u32 storage_hosts_of(const GeneratorOptions& o, const Fabric& fabric) {
  const OtherFabric* other = find_fabric(fabric, o.fabric);
  return other == nullptr ? 0 : other->storage_hosts;
}

Hosts servers_of(const GeneratorOptions& o, u32 index, const Hosts& all, u32 storage_hosts) {
  Hosts among = all;
  if (storage_hosts != 0)
    among = {all.first + all.count - storage_hosts, storage_hosts};
  else if (o.servers == 0)
    throw ConfigError(fmt::format(
        "{}: which hosts are servers? Give first_server and servers, or fabric = the name of a [[fabric]] with "
        "storage_hosts",
        key(index, "servers")));
  const u32 behind_first = o.first_server < among.count ? among.count - o.first_server : 0;
  const u32 count = o.servers != 0 ? o.servers : behind_first;
  if (count == 0 || count > behind_first) {
    throw ConfigError(fmt::format("{}: {} servers from first_server = {} on, but there are hosts 0 to {}{}",
                                  key(index, "servers"), count, o.first_server, among.count - 1,
                                  among.count != all.count ? " that are storage servers" : ""));
  }
  return {among.first + o.first_server, count};
}

}  // namespace

RequestEnds request_ends(const GeneratorOptions& o, u32 index, const Fabric& fabric) {
  const Hosts all = hosts_of_fabric(fabric, o.fabric, fmt::format("generator[{}]", index));
  const u32 storage_hosts = storage_hosts_of(o, fabric);
  const Hosts servers = servers_of(o, index, all, storage_hosts);
  if (o.stripes > servers.count) {
    throw ConfigError(fmt::format("{} = {}: a request asks so many different servers, and there are {}",
                                  key(index, "stripes"), o.stripes, servers.count));
  }
  const u32 most = o.hosts != 0 ? all.count : all.count - storage_hosts;  // only those named are clients and store
  const u32 behind_first = o.first_host < most ? most - o.first_host : 0;
  const Hosts asking{all.first + o.first_host, o.hosts != 0 ? o.hosts : behind_first};
  if (asking.count > behind_first || asking.count == 0) {
    throw ConfigError(fmt::format("{}: {} hosts from {} on, but the fabric has endpoints 0 to {}", key(index, "hosts"),
                                  asking.count, o.first_host, all.count - 1));
  }
  const EndpointId end = asking.first + asking.count, servers_end = servers.first + servers.count;
  const bool apart = servers_end <= asking.first || end <= servers.first;
  const bool within = asking.first <= servers.first && servers_end <= end;
  // Hosts that are counted out are clients; otherwise all are that serve nothing.
  if (!apart && (o.hosts != 0 || !within)) {
    throw ConfigError(
        fmt::format("{}: some of the hosts {} to {} are clients and servers; let first_host and hosts, or "
                    "first_server and servers, name others",
                    key(index, "hosts"), o.first_host, o.first_host + asking.count - 1));
  }
  const RequestEnds ends{servers, asking, apart ? 0 : servers.count};
  if (ends.clients() == 0)
    throw ConfigError(fmt::format("{}: all hosts are servers, and none sends to them", key(index, "hosts")));
  return ends;
}

}  // namespace heddle
