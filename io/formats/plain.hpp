// What foreign files say, as plain tables. host/scenario/topology and host/scenario/workload turn them into a World.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// A cable between two nodes of a foreign topology file; both directions are alike.
struct PlainLink {
  u32 a = 0, b = 0;       // node numbers as in the file
  u64 bits_per_s = 0;     // at least 1
  i64 latency_ps = 0;     // propagation, one way
  double error_rate = 0;  // probability of loss per packet, [0, 1]; configuration, never simulated state
  u32 line = 0;           // where it stood, for later messages
  u32 error_rate_column = 0;
};

/// Nodes are numbered [0, nodes); those named in `switches` are switches, those left out nothing, all others hosts.
struct PlainTopology {
  u32 nodes = 0;
  std::vector<u32> switches;  // in the order of the file, each once
  std::vector<PlainLink> links;
  std::vector<bool> left_out = {};  // [node] without its links, as the reader was told or its format says; empty: none
};

/// A topology whose hosts are GPUs in servers, in order of their numbers.
struct PlainServers {
  PlainTopology network;      // without NVSwitches
  u32 gpus_per_server = 1;    // that NVLink joins
  u64 nvlink_bits_per_s = 0;  // of a GPU, one way; 0: none
  bool alone = false;  // one server, of which no link leads out: its network is made up, and nothing may cross it
};

/// What ranks send to each other.
struct PlainByteMatrix {
  u32 ranks = 0;
  std::vector<u64> bytes;  // [from * ranks + to]
};

/// One message from a host to another.
struct PlainFlow {
  u32 src = 0, dst = 0;  // node numbers as in the topology file
  u32 priority = 0;      // HPCC's "pg", 1 to 7, the same for all flows of a file
  u32 dst_port = 0;      // UDP destination port as the file names it
  u64 bytes = 0;         // at least 1
  i64 start_ps = 0;      // exact, never through a floating-point number
  u32 line = 0, src_column = 1, dst_column = 1;
};

/// A flow that begins when others have ended: numbers of flows, and how many of them are enough.
struct PlainFlowWaits {
  std::vector<u32> sent, received;
  u32 count = 0;  // 0: it begins at its start time
};

/// The nodes that a pair's packets went through in another simulator, both ends included.
struct PlainPath {
  u32 src = 0, dst = 0;
  std::vector<u32> data;  // src ... dst
  std::vector<u32> ack;   // dst ... src
  u32 line = 0;
};

/// How much of what a switch sends goes to one of its neighbours, beside other next hops.
struct PlainWeight {
  std::string from, to;  // names of nodes
  u32 weight = 1;
  u32 line = 0;
};

/// What the GPUs of one rack send to those of another; only the ratios count.
struct PlainDemand {
  std::string from, to;  // names of switches
  u64 bytes = 0;         // at least 1
  u32 line = 0;
};

/// A cumulative distribution of message sizes: P(size <= bytes[i]) = probability_q32[i] / 2^32, linear between points.
struct PlainSizeCdf {
  std::vector<u64> bytes;            // not decreasing
  std::vector<u64> probability_q32;  // not decreasing, starts at 0, ends at 2^32
};

}  // namespace heddle
