// The endpoints that a section counts from 0: those of the fabric that it names.
#pragma once

#include <string>

#include "kernels/world/fabric.hpp"

namespace heddle {

struct Hosts {
  EndpointId first = 0;
  u32 count = 0;
};

/// "": the first fabric, of the GPUs. Throws ConfigError, which begins with `where`.fabric, when none has the name.
Hosts hosts_of_fabric(const Fabric& fabric, const std::string& name, const std::string& where);

/// The endpoint with number `host` in `hosts`. Throws ConfigError, which begins with `where`, when there are not so
/// many.
EndpointId endpoint_at(const Hosts& hosts, u64 host, const std::string& where);

}  // namespace heddle
