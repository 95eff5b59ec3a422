// Must show 3: ring all-reduce on an otherwise idle zone: 46 to 48.8 GB/s of busbw per 400G NIC for large messages, and
// the latency of a small one as a formula.
//
// busbw = bytes / time * 2(n-1)/n, as nccl-tests counts it: what every rank sends on. With one GPU per server each NIC
// carries all rings, so busbw is the NIC's payload rate. With 8 GPUs per server there are 16 rings, each enters and
// leaves a server once, two by every NIC: a NIC carries two rings of 16, and busbw is the payload rate of 8 NICs
// together. Its limit is the wire's payload share, 4096/4198 of 50 GB/s = 48.79 GB/s.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "kernels/base/units.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/scratch.hpp"

namespace heddle::acceptance {
namespace {

/// busbw in GB/s of the world's one all-reduce.
double busbw(const World& world) {
  const Outcome outcome = run_engine(world);
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.totals.pauses + outcome.totals.retransmits, 0u);
  const CollectiveOutcome& c = outcome.collectives.at(0);
  const double n = static_cast<double>(world.collectives.jobs[0].ranks.size());
  const double ns = static_cast<double>(c.last_finish_ps - c.first_enter_ps) / 1000;
  return static_cast<double>(world.collectives.collectives[0].bytes) / ns * 2 * (n - 1) / n;
}

void expect_busbw_per_nic(double busbw, u32 nics_per_server) {
  const double per_nic = busbw / nics_per_server;
  std::printf("  busbw %.2f GB/s, %.2f GB/s per NIC\n", busbw, per_nic);
  EXPECT_GE(per_nic, 46.0);
  EXPECT_LE(per_nic, 48.8);
}

TEST(RingAllReduce, OneGpuPerServer) {
  expect_busbw_per_nic(busbw(world_of(zone(2, 16) + all_reduce(32, 1, "256 MiB"))), 1);
}

TEST(RingAllReduce, EightGpusPerServerInOneRack) {
  expect_busbw_per_nic(busbw(world_of(zone(2, 16) + all_reduce(16, 8, "512 MiB"))), 8);
}

/// Across racks 16 rings leave the rack at once, and hashing would put some on one uplink (a study of its own). Pinned
/// to CTSW c, the two rings of NIC c have every link for themselves.
TEST(RingAllReduce, EightGpusPerServerAcrossRacksOnPinnedPaths) {
  const u32 racks = 4, gpus = 64, endpoints = 64;
  const std::string file = test::fresh_file("pinned.csv");
  std::ofstream out(file);
  out << "src,dst,data_path,ack_path\n";
  std::set<std::pair<u32, u32>> written;
  const World hashed = world_of(zone(racks, 16) + all_reduce(gpus, 8, "1 MiB"));
  for (const Connection& c : hashed.collectives.connections) {
    if (c.nvlink || !written.insert({c.src, c.dst}).second) continue;
    const u32 from = endpoints + c.src / 16, to = endpoints + c.dst / 16, ctsw = endpoints + racks + c.channel;
    const std::string there = from == to ? std::to_string(from)
                                         : std::to_string(from) + " " + std::to_string(ctsw) + " " + std::to_string(to);
    const std::string back = from == to ? std::to_string(from)
                                        : std::to_string(to) + " " + std::to_string(ctsw) + " " + std::to_string(from);
    out << c.src << "," << c.dst << "," << c.src << " " << there << " " << c.dst << "," << c.dst << " " << back << " "
        << c.src << "\n";
  }
  out.close();
  const std::string pinned = "[routing]\npolicy = 'explicit'\npaths_file = '" + file + "'\n";
  expect_busbw_per_nic(busbw(world_of(zone(racks, 16) + all_reduce(gpus, 8, "1 GiB") + pinned)), 8);
}

/// n = 8 ranks behind one switch, one ring, 8 chunks of 512 B in one slice each. All ranks do the same at the same
/// time:
///   t = l     rank has entered at 0 and its kernel is launched; it copies its chunk (c = 512 B / copy rate) and grants
///   its slots; the CTS has come and has been
///             answered before the proxy sees the copy.
///   S(0)      = l + c + post + proxy: the first send.
///   S(k + 1)  = S(k) + P(512 + 118) + proxy + flush + c + post + proxy: the slice arrives, the proxy notices, it is
///             flushed, copied and reduced, and posted. CTS and send slots of later steps are there long before.
///   end       = S(2(n-1) - 1) + P(512 + 118) + proxy + flush + c: the last copy, after the last ACK was noticed.
TEST(RingAllReduce, SmallMessageIsAFormula) {
  const u32 n = 8, hops = 2 * (n - 1), chunk_bytes = 512;
  const std::string star = "[topology]\nkind = 'star'\nhosts = 8\n";
  for (const std::string rate : {"0 GB/s", "20 GB/s"}) {
    const World world = world_of(star + all_reduce(n, 1, "4 KiB"),
                                 {"job.0.channels=1", "job.0.slices_per_chunk=1", "collective.channel_rate=" + rate});
    const std::vector<LinkId> path = some_path(world, 0, 1);
    const TimePs proxy = 1'000'000, post = 2'700'000, flush = 2'000'000;
    const TimePs copy =
        rate == "0 GB/s" ? ser_ps(chunk_bytes, world.collectives.settings.copy_ps_per_byte_q16) : chunk_bytes * 50;
    const TimePs data = path_ps(world, path, chunk_bytes + 118);
    const TimePs answer = ser_ps(106, world.fabric.links[path.front()].ps_per_byte_q16);
    const TimePs launch = 6'600'000, first_send = launch + copy + post + proxy;
    ASSERT_GT(first_send, launch + proxy + path_ps(world, path, 182) + answer);
    ASSERT_LT(path_ps(world, path, 106), flush + copy);
    const TimePs last_send = first_send + (hops - 1) * (data + proxy + flush + copy + post + proxy);
    const TimePs end = last_send + data + proxy + flush + copy;
    for (const Outcome& outcome : {run_engine(world), simulate(world, {})}) {
      EXPECT_EQ(outcome.collectives.at(0).first_enter_ps, 0);
      EXPECT_EQ(outcome.collectives.at(0).first_finish_ps, end);
      EXPECT_EQ(outcome.collectives.at(0).last_finish_ps, end);
    }
  }
}

/// 16 channels of 20 GB/s each are less than the NICs carry (as on servers of H100).
TEST(RingAllReduce, ChannelsBoundLargeMessages) {
  const World world =
      world_of(zone(2, 16) + all_reduce(16, 8, "512 MiB"), {"job.0.channels=16", "collective.channel_rate=20 GB/s"});
  const double all = busbw(world);
  std::printf("  busbw %.2f GB/s\n", all);
  EXPECT_LE(all, 16 * 20.0);
  EXPECT_GE(all, 0.96 * 16 * 20);
}

}  // namespace
}  // namespace heddle::acceptance
