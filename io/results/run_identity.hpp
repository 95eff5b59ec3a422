// Which run a file belongs to: what must be equal for a run to resume from it.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// A file that the configuration names and that decides what is simulated.
struct NamedFile {
  std::string key;  // "workload.flow_file"
  u64 hash = 0;     // hash of the file's bytes
  bool operator==(const NamedFile&) const = default;
};

/// The inputs of a run. They do not decide the identity: where hashes differ they show what has changed.
struct RunInputs {
  std::string config_toml;  // resolved; empty: not known
  std::vector<NamedFile> files;
  bool operator==(const RunInputs&) const = default;
};

/// The identity in the root attributes of a result file. The version and the three hashes alone decide it, so another
/// number of ranks, another backend or another machine may resume from the files.
struct RunIdentity {
  std::string software_version;  // with the commit, where known
  u64 config_hash = 0;           // hash of the resolved configuration
  u64 topology_hash = 0;         // hash of nodes, links and routing
  u64 workload_hash = 0;         // hash of messages and collectives
  RunInputs inputs;
  bool operator==(const RunIdentity&) const = default;
};

/// Explains to the user why the run `ours` may not resume a file of `theirs`; empty when it may. Names the keys and the
/// files that have changed as far as both inputs are known, else the hashes. Only equal software versions may be mixed:
/// any version may change what a word of the state means. Throws InputError when a configuration is not TOML.
std::string difference(const RunIdentity& theirs, const RunIdentity& ours);

}  // namespace heddle
