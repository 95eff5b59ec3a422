// Files of HPCC's ns-3 simulator (alibaba-edu/High-Precision-Congestion-Control, simulation/mix).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/formats/plain.hpp"
#include "kernels/outcome/event.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

struct ReadOptions {
  /// A file with more data than its first line declares is refused, because HPCC's own reader would silently leave it
  /// out. True: read the declared part, with a warning.
  bool accept_extra_lines = false;
  /// topology.txt: keep so many hosts, those of the least node ids, and leave out all others with their links, whatever
  /// the first line declares. 0: all.
  u32 first_hosts = 0;
  /// flow.txt: keep so many flows, the first ones, whatever the first line declares. 0: all.
  u32 first_flows = 0;
};

/// topology.txt: `nodes switches links`, or ns3-datacenter's `nodes switches tors links`, of which nothing follows from
/// the third; the switches' ids; per link `src dst rate delay error_rate` (links.hpp). All other nodes are hosts. Text
/// after the data is left out with a warning. Throws InputError: malformed or missing values, wrong counts, ids out of
/// range or twice, links from a node to itself, two links between the same nodes, nodes that no link reaches, fewer
/// hosts than options.first_hosts.
PlainTopology read_hpcc_topology(const std::string& path, const ReadOptions& options = {},
                                 std::vector<std::string>* warnings = nullptr);

/// flow.txt: the number of flows; per flow `src dst pg dport size_bytes start_s`, or conweave-ns3's `src dst pg
/// size_bytes start_s` in all lines, with dport 100. Start times become picoseconds exactly. `nodes` = 0: unknown, ids
/// are not checked. Throws InputError, also for fewer flows than options.first_flows, for flows of several priority
/// groups, and for those of group 0, HPCC's control frames.
std::vector<PlainFlow> read_hpcc_flows(const std::string& path, u32 nodes, const ReadOptions& options = {},
                                       std::vector<std::string>* warnings = nullptr);

/// What HPCC's files say and a World does not know.
struct HpccExport {
  std::vector<u32> node_numbers;  // [node] -> number in topology.txt; empty: the World's own
  std::vector<u32> dst_ports;     // [message] -> dport; empty: 100 everywhere, which HPCC's analysis selects
};

/// fct.txt, one line per finished message in order of completion: `sip dip sport dport size start_ns fct_ns
/// standalone_fct_ns`. Addresses are HPCC's: 0x0b000001 + (id / 256 << 16) + (id % 256 << 8), 8 hex digits. fct counts
/// from posting to the last acknowledgement at the sender; standalone is ideal_completion_ps. Whole ns, rounded down.
/// Throws OutputError; InputError for node numbers above 65,535, which such an address cannot hold.
void write_hpcc_fct(const std::string& path, const World& world, const Outcome& outcome, const HpccExport& names = {});

/// pfc.txt: `time_ns node node_type if type` per PAUSE (type 1) and RESUME (0), in order of `events`; other kinds are
/// left out. As in HPCC the node is the one that is paused and `if` its port, counted from 1; the time is the instant
/// of the decision at the other end (HPCC: of the frame's arrival). node_type: 0 host, 1 switch. Throws OutputError.
void write_hpcc_pfc(const std::string& path, const World& world, std::span<const Event> events,
                    const HpccExport& names = {});

}  // namespace heddle
