#include "host/scenario/workload/hosts.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/topology/other_fabric.hpp"

namespace heddle {

Hosts hosts_of_fabric(const Fabric& fabric, const std::string& name, const std::string& where) {
  if (name.empty()) return {0, count_gpus(fabric)};
  if (const OtherFabric* found = find_fabric(fabric, name)) return {found->first, found->endpoints};
  std::string names;
  for (const OtherFabric& other : fabric.others) names += (names.empty() ? "" : ", ") + other.name;
  throw ConfigError(
      fmt::format("{}.fabric: no [[fabric]] is called \"{}\"; {}", where, name,
                  names.empty() ? "this configuration has none: leave the key out" : "there is " + names));
}

EndpointId endpoint_at(const Hosts& hosts, u64 host, const std::string& where) {
  if (host < hosts.count) return hosts.first + static_cast<EndpointId>(host);
  throw ConfigError(fmt::format("{}: {} does not exist; the fabric has 0 to {}", where, host, hosts.count - 1));
}

}  // namespace heddle
