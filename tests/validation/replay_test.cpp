// Replays every run of the peers and asserts how near the engine comes; prints the tables of README.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/oracle.hpp"
#include "tests/validation/ack_queueing.hpp"
#include "tests/validation/replay.hpp"

namespace heddle::validation {
namespace {

/// Replays at the comparing grids and prints the row.
Comparison compare_and_print(Peer peer, const std::string& name) {
  const PeerCase& run = peer_case(peer, name);
  const Replay ours = replay(run, sampling_for(peer));
  const Comparison c = compare(ours, peer_flows(run));
  fmt::print("{}", table_row(run, ours, c));
  return c;
}

TEST(Debug, All) {
  fmt::print("{}", table_head());
  for (const PeerCase& run : peer_cases()) compare_and_print(run.peer, run.name);
  const PeerCase& run = peer_case(Peer::htsim, "permutation128");
  const Replay ours = replay_with_queued_acks(run, sampling_for(Peer::htsim));
  fmt::print("{}", table_row(run, ours, compare(ours, peer_flows(run))));
}

TEST(Debug, Seeds) {
  for (const char* name : {"incast8_10MB_dcqcn", "permutation128_dcqcn"}) {
  const PeerCase& run = peer_case(Peer::ns3, name);
  for (u64 seed = 1; seed < 9; ++seed) {
    Sampling s = sampling_for(Peer::ns3);
    s.seed = seed;
    const Replay ours = replay(run, s);
    fmt::print("{}", table_row(run, ours, compare(ours, peer_flows(run))));
  }
  }
}
TEST(Debug, HostPauses) {
  for (const char* name : {"incast8_1MB", "incast8_10MB", "permutation128"}) {
  const PeerCase& run = peer_case(Peer::htsim, name);
    Sampling s = sampling_for(Peer::htsim);
    const World w = world_of(run, s);
    const Replay ours = replay(run, s);
    u64 host = 0, leaf = 0, spine = 0;
    for (const Event& e : ours.pauses) {
      const LinkId in = w.fabric.nodes[e.node].first_link + e.port;
      const u32 peer = w.fabric.links[in].dst;
      if (peer < 128) ++host; else if (e.node < 144) ++leaf; else ++spine;
    }
    fmt::print("{} host {} leaf {} spine {} total {} theirs {}\n", name, host, leaf, spine, ours.totals.pauses, run.pauses);
  }
}
}  // namespace
}  // namespace heddle::validation
