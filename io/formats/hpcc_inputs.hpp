// The files that HPCC's config.txt names: where they are, and how much of them HPCC reads.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/formats/hpcc_keys.hpp"
#include "io/formats/plain.hpp"

namespace heddle {

struct HpccInputs {
  std::string topology_file, flow_file;    // as the configuration names them
  std::optional<PlainTopology> topology;   // as far as HPCC reads it; none: it was not there, or is refused
  u32 first_hosts = 0, first_flows = 0;    // what topology.first_hosts and workload.first_flows must say; 0: nothing
  std::set<u64> switch_bits_per_s;         // of all links at switches
  u64 host_bits_per_s = 0;                 // of the first host's link
  u32 flows_of_a_pair = 1;                 // most flows from one host to one other
  bool flows_known = false;                // they were there, and read
  std::vector<std::pair<u32, u32>> pairs;  // of hosts between which they go, each once
  std::vector<std::pair<std::string, std::string>> found;  // of the two: key, and path from the current folder
  std::vector<std::string> missing;  // what to know of those, and of output folders, that are nowhere
};

/// Names are looked for from the current folder, where HPCC's program starts, from config.txt's, and from the one above
/// (its mix/topology.txt). Relative results start at `folder`. What HPCC could not read either is added to the
/// problems. Outputs go into folders that are seen from the current folder.
HpccInputs read_hpcc_inputs(HpccConfig& config, const std::string& folder);

}  // namespace heddle
