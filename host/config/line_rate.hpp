// The speed of the NICs before the fabric is built.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

struct Config;

/// link.host_rate; for an imported topology the fastest link of a host. Reads the imported file. Throws ConfigError.
u64 nic_line_rate_bps(const Config& config);

}  // namespace heddle
