// The origin of a result: everything needed to run it again.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "io/results/run_identity.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// One value of the resolved configuration, or one element of a list.
struct ConfigValue {
  std::string key;                                           // "dcqcn.enabled", "job.0.collective.0.sizes"
  u32 element = 0;                                           // index in a list
  std::string text;                                          // "400 Gb/s", "true", "ring"
  double number = std::numeric_limits<double>::quiet_NaN();  // in `unit`; 1 and 0 for true and false; NaN: no number
  std::string unit;                                          // "ps", "B", "bit/s", "B/s", "1"; empty: no number
};

/// Written to the root of a result file. The seed, the tick and the horizon come from the World itself.
struct Provenance {
  std::string software_version;
  std::string git_commit;  // empty when built outside a checkout
  bool git_dirty = false;  // the checkout differed from that commit
  std::string build;       // compilers, backend, architectures
  std::string date;        // ISO 8601, UTC
  std::string command_line;
  std::string hosts;         // comma-separated
  std::string slurm_job_id;  // empty outside Slurm
  u32 ranks = 1, threads = 1;
  std::string devices;  // "cpu", or the names of the GPUs
  u64 config_hash = 0;  // hash of the resolved configuration, the topology and the workload
  u64 topology_hash = 0;
  u64 workload_hash = 0;
  RunInputs inputs;                     // its configuration becomes /config
  std::vector<ConfigValue> parameters;  // the configuration again, value by value: /parameter
};

/// The identity that decides whether another run may resume the file.
inline RunIdentity identity_of(const Provenance& p) {
  std::string version = p.software_version;
  if (!p.git_commit.empty()) version += " of commit " + p.git_commit.substr(0, 12);
  if (p.git_dirty) version += ", modified";
  return {version, p.config_hash, p.topology_hash, p.workload_hash, p.inputs};
}

/// Wall time of one phase of the run.
struct PhaseTime {
  std::string name;
  double wall_s = 0;
};

/// A checkpoint that was written.
struct SavedCheckpoint {
  TimePs time_ps = 0;  // simulated
  double wall_s = 0;   // NaN: unknown, because the run resumed from it
};

/// Performance of the run over all its process runs: a run that was resumed N times has N + 1. Wall times differ from
/// run to run, so they are kept apart from results (/perf).
struct Perf {
  double wall_s = 0;
  u64 packet_hops = 0;
  u64 memory_bytes = 0;
  std::vector<PhaseTime> phases;
  u64 exchanges = 0;        // exchanges between ranks; each rank takes part in all
  u64 exchanged_bytes = 0;  // bytes that all ranks sent in these exchanges
  u64 process_runs = 1;
  std::vector<SavedCheckpoint> checkpoints{};
};

}  // namespace heddle
