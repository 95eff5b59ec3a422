// Must show 2: the cases onepkt_ls and oneflow_ls of csg-htsim have its times, with its headers and without pipelines
// by configuration. Leaf-spine of 16 leaves x 8 hosts and 8 spines, 400G, 1 us links.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/scratch.hpp"

namespace heddle::acceptance {
namespace {

// htsim's closed form: (packets + links - 1) * 83.2 ns + 4 * 1 us + 4 * (1.28 ns + 1 us).
constexpr TimePs kOnePacketPs = 8'337'920, kOneFlowPs = 29'054'720;  // htsim prints 8.33792 and 29.0547 us

void expect_fct(const World& world, TimePs fct_ps) {
  EXPECT_EQ(run_engine(world).messages.at(0).acked_ps, fct_ps);
  EXPECT_EQ(simulate(world, {}).messages.at(0).acked_ps, fct_ps);
}

TEST(HtsimReplay, ByConfiguration) {
  const std::string model = htsim_leaf_spine() + htsim_model();
  expect_fct(world_of(model + htsim_message(4096)), kOnePacketPs);
  expect_fct(world_of(model + htsim_message(250 * 4096)), kOneFlowPs);
}

TEST(HtsimReplay, AlongItsOwnPaths) {
  const std::string paths = test::fresh_file("paths.csv");
  std::ofstream(paths) << "src,dst,data_path,ack_path\n8,0,8 129 150 128 0,0 128 149 129 8\n";
  const std::string model =
      htsim_leaf_spine() + htsim_model() + "[routing]\npolicy = 'explicit'\npaths_file = '" + paths + "'\n";
  for (const auto& [bytes, fct_ps] : {std::pair{u64{4096}, kOnePacketPs}, std::pair{u64{250 * 4096}, kOneFlowPs}}) {
    const World world = world_of(model + htsim_message(bytes));
    expect_fct(world, fct_ps);
    EngineOptions options;
    options.trace = true;  // makes departures events
    options.recorded_kinds = kinds({EventKind::depart});
    u64 data_hops = 0;
    for (const Event& e : run_engine(world, options).events) {
      const bool data = ((e.value >> 24) & 15) == static_cast<u64>(PacketKind::data);
      const std::set<NodeId> allowed = data ? std::set<NodeId>{8, 129, 150, 128} : std::set<NodeId>{0, 128, 149, 129};
      EXPECT_TRUE(allowed.contains(e.node)) << e.node;
      data_hops += data ? 1 : 0;
    }
    EXPECT_EQ(data_hops, bytes / 4096 * 4);
  }
}

/// The same fabric and flow from the HPCC files that came with csg-htsim's results.
TEST(HtsimReplay, FromImportedFiles) {
  const std::string topology = test::fresh_file("topology.txt"), flows = test::fresh_file("flow.txt");
  std::ofstream out(topology);
  out << "152 24 256\n";
  for (u32 n = 128; n < 152; ++n) out << n << (n == 151 ? "\n" : " ");
  for (u32 host = 0; host < 128; ++host) out << host << " " << 128 + host / 8 << " 400Gbps 0.001ms 0\n";
  for (u32 leaf = 128; leaf < 144; ++leaf) {
    for (u32 spine = 144; spine < 152; ++spine) out << leaf << " " << spine << " 400Gbps 0.001ms 0\n";
  }
  out.close();
  std::ofstream(flows) << "1\n8 0 3 100 1024000 0\n";
  expect_fct(world_of("[topology]\nkind = 'hpcc'\nfile = '" + topology + "'\n" + htsim_model() + "flow_file = '" +
                      flows + "'\n"),
             kOneFlowPs);
}

}  // namespace
}  // namespace heddle::acceptance
