// A world of several fabrics: none changes what another one carries.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

const std::string kRacks =
    "[topology]\nkind = 'ai_zone'\nracks = 3\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n";

/// Two leaves of two hosts each, with cables of 100 and 200G. `of`: what the names of its sections begin with.
std::string two_leaves(const std::string& of) {
  return "[" + of + "topology]\nkind = 'two_tier'\n[" + of +
         "topology.two_tier]\nleaves = 2\ngpus_per_leaf = 2\nspines = 1\nuplinks_per_leaf = 1\n[" + of +
         "link]\nhost_rate = '100 Gb/s'\n[" + of + "layer.leaf_spine]\nrate = '200 Gb/s'\n";
}

std::string message(const std::string& fabric, u32 src, u32 dst) {
  return "[[message]]\n" + (fabric.empty() ? "" : "fabric = '" + fabric + "'\n") + "src = " + std::to_string(src) +
         "\ndst = " + std::to_string(dst) + "\nbytes = '1 MiB'\n";
}

std::vector<TimePs> ends(const std::string& text) {
  // Marks and start jitter draw by numbers of queue pairs and links, which differ.
  const World world = world_of(text, {"workload.jitter_packets=0", "ecn.enabled=false"});
  std::vector<TimePs> ends;
  for (const MessageOutcome& m : run_engine(world, {}).messages) ends.push_back(m.acked_ps);
  return ends;
}

TEST(OtherFabric, CarriesWhatItWouldCarryAlone) {
  const std::string of_gpus = message("", 0, 5) + message("", 2, 5),
                    of_cpus = message("frontend", 0, 3) + message("frontend", 1, 3);
  const std::string frontend = "[[fabric]]\nname = 'frontend'\n" + two_leaves("fabric.");
  std::vector<TimePs> apart = ends(kRacks + of_gpus);
  for (const TimePs t : ends(two_leaves("") + message("", 0, 3) + message("", 1, 3))) apart.push_back(t);
  EXPECT_EQ(ends(kRacks + frontend + of_gpus + of_cpus), apart);
}

}  // namespace
}  // namespace heddle::acceptance
