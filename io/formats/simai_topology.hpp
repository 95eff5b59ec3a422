// Topologies of SimAI, as its gen_Topo_Template.py writes them and its ns-3 reads them.
#pragma once

#include <string>

#include "io/formats/plain.hpp"

namespace heddle {

/// `nodes gpus_per_server nvswitches switches links gpu_type`; the ids of the NVSwitches, then those of the switches,
/// on one line or several; per link `src dst rate delay error_rate`, as in HPCC's files. All other nodes are GPUs. The
/// links of NVSwitches are the NVLink of servers, of which each has gpus_per_server GPUs with numbers that follow each
/// other; their rates count, their delays do not, as collective.nvlink_latency is of a whole hop. One server without
/// any switch gets one, that nothing may cross (PlainServers::alone). Throws InputError: malformed or missing values,
/// wrong counts, ids out of range or twice, nodes that no link reaches, NVSwitches that do not join all GPUs of one
/// server, GPUs without a link into the network or with several.
PlainServers read_simai_topology(const std::string& path);

}  // namespace heddle
