// Which run a file belongs to: what must be equal for one to go on with it.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// As the root attributes of a result file say it. A run is decided by these alone, so another number of ranks, another
/// backend or another machine may go on with its files.
struct RunIdentity {
  std::string software_version;  // with the commit, where it is known
  u64 config_hash = 0;           // of the resolved configuration
  u64 topology_hash = 0;         // of nodes, links and routing
  u64 workload_hash = 0;         // of messages and collectives
  bool operator==(const RunIdentity&) const = default;
};

/// What keeps the run `ours` from going on with a file of `theirs`, for the user to read; empty when nothing does.
/// Only equal software versions may be mixed: what a word of the state means may change with any of them.
std::string difference(const RunIdentity& theirs, const RunIdentity& ours);

}  // namespace heddle
