// Files of htsim (Broadcom/csg-htsim, ultraethernet/uet-htsim).
#pragma once

#include <string>
#include <vector>

#include "io/formats/plain.hpp"

namespace heddle {

/// topology.topo: `Nodes N`, `Tiers 2` or 3, `Podsize N`; for each tier of switches `Tier N` and its `Radix_Down`,
/// `Radix_Up`, `Downlink_speed_Gbps`, `Downlink_Latency_ns`, and where they say more than these `Switch_Latency_ns`,
/// `Oversubscribed`, `Bundle`. A fat tree: hosts are nodes [0, N), every switch of a pod's lowest tier has links to
/// every one of its second, and those of one place in their pods to the same of the third. Throws InputError: malformed
/// or missing values, words that are not known, numbers that do not fit each other, switches that take time.
PlainTopology read_htsim_topology(const std::string& path);

/// What programs of htsim take `start` for: csg-htsim's and spcl/HTSIM's picoseconds, uet-htsim's microseconds.
enum class StartUnit : u8 { ps, us };

/// A connection matrix.
struct PlainMatrix {
  u32 nodes = 0, nodes_line = 0;  // 0: flows go between nodes of a topology's file
  std::vector<PlainFlow> flows;
  std::vector<PlainFlowWaits> waits = {};  // [flow]; none: nobody waits
};

/// connections.cm: `Nodes N`, `Connections N`, `Triggers N` in any order; per flow `src->dst id I start T size B`,
/// with `trigger T` for the start time where a trigger begins it, and `send_done_trigger T`, `recv_done_trigger T` that
/// it fires; per trigger `trigger id T oneshot`, `multishot` or `barrier count N`. Ids begin at 1. Start times are
/// whole numbers of their unit, also as `1e6` or `7.0`. A oneshot begins its flows when it is fired first, a multishot
/// one more each time, a barrier all when it has been fired N times. A trigger that no line describes needs one flow
/// that fires it and one that it begins. `first_flows`: keep so many, whatever is declared; 0: all. Throws InputError:
/// malformed or missing values, wrong counts, ids given twice, words that are not known (messages of a connection,
/// priorities, failures), flows without end, triggers that would never begin a flow, and more than 2^25 pairs of a flow
/// that waits and one that it waits for.
PlainMatrix read_htsim_matrix(const std::string& path, u32 first_flows = 0, StartUnit unit = StartUnit::ps);

}  // namespace heddle
