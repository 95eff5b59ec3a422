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
}  // namespace
}  // namespace heddle::validation
