// Capacity: all-to-all across two zones that are joined 1:7 gives every GPU a seventh of its line: 400G / 7 = 57.14
// Gb/s on the wire. The law is of capacity, so paths are pinned evenly: from GPU i of a zone to GPU j of the other by
// CTSW (i + j) mod 4. Hashed paths load some uplinks more than others (balls in bins); what is then left is printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/acceptance/worlds.hpp"
#include "tests/scratch.hpp"
#include "tests/theory/imported.hpp"

namespace heddle::theory {
namespace {

using acceptance::run_engine;
using acceptance::world_of;

constexpr u32 kPerRack = 4, kRacks = 7, kGpus = kRacks * kPerRack, kCtsws = 4;  // of each zone; 28 GPUs on 4 x 400G
constexpr u32 kRtsw0 = 2 * kGpus, kCtsw0 = kRtsw0 + 2 * kRacks, kAtsw0 = kCtsw0 + 2 * kCtsws;
constexpr u64 kBytes = 1 << 20;

std::string fabric() {
  return fmt::format(
      "[topology]\nkind = 'multi_zone'\nzones = 2\nracks = {}\ngpus_per_rack = {}\nctsws = {}\nuplinks_per_rtsw = {}\n"
      "atsws = {}\nuplinks_per_ctsw = 1\n",
      kRacks, kPerRack, kCtsws, kCtsws, kCtsws);
}

std::string path_of(u32 src, u32 dst, u32 ctsw) {
  const auto rtsw = [](u32 gpu) { return kRtsw0 + gpu / kPerRack; };
  const auto zone_ctsw = [&](u32 gpu) { return kCtsw0 + gpu / kGpus * kCtsws + ctsw; };
  return fmt::format("{} {} {} {} {} {} {}", src, rtsw(src), zone_ctsw(src), kAtsw0 + ctsw, zone_ctsw(dst), rtsw(dst),
                     dst);
}

/// Every GPU sends to every GPU of the other zone, starting at different ones.
std::string messages() {
  std::string toml;
  for (u32 round = 0; round < kGpus; ++round) {
    for (u32 i = 0; i < 2 * kGpus; ++i) {
      const u32 dst = (i < kGpus ? kGpus : 0) + (i + round) % kGpus;
      toml += fmt::format("[[message]]\nsrc = {}\ndst = {}\nbytes = {}\n", i, dst, kBytes);
    }
  }
  return toml;
}

std::string pinned_paths() {
  const std::string file = test::fresh_file("paths.csv");
  std::ofstream out(file);
  out << "src,dst,data_path,ack_path\n";
  for (u32 i = 0; i < 2 * kGpus; ++i) {
    for (u32 j = 0; j < 2 * kGpus; ++j) {
      if (i / kGpus == j / kGpus) continue;
      out << i << ',' << j << ',' << path_of(i, j, (i + j) % kCtsws) << ',' << path_of(j, i, (i + j) % kCtsws) << '\n';
    }
  }
  return "[routing]\npolicy = 'explicit'\npaths_file = '" + file + "'\n";
}

/// Gb/s on the wire of each GPU, from start to the last byte received.
double per_gpu_gbps(const std::string& routing) {
  const Outcome outcome = run_engine(world_of(fabric() + routing + messages()));
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.totals.drops[0] + outcome.totals.drops[1] + outcome.totals.drops[2], 0u);
  TimePs last = 0;
  for (const MessageOutcome& m : outcome.messages) last = std::max(last, m.received_ps);
  const double wire_bits = 8.0 * kGpus * (kBytes / 4096.0 * 4198 + 16);
  return wire_bits / (static_cast<double>(last) / 1000);
}

TEST(Oversubscription, OneToSevenLeaves57GbpsPerGpu) {
  const double pinned = per_gpu_gbps(pinned_paths());
  const double hashed = per_gpu_gbps("[routing]\npolicy = 'e_ecmp'\n");
  std::printf("  1:7: pinned evenly %.2f Gb/s per GPU, hashed %.2f, capacity %.2f\n", pinned, hashed, 400.0 / 7);
  EXPECT_LE(pinned, 400.0 / 7) << "more than the uplinks carry";
  EXPECT_GE(pinned, 0.98 * 400.0 / 7);
  EXPECT_LE(hashed, 400.0 / 7);
  EXPECT_LT(hashed, pinned) << "hashing 784 flows over 4 uplinks is never even";
}

}  // namespace
}  // namespace heddle::theory
