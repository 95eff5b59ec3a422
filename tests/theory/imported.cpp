#include "tests/theory/imported.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch.hpp"

namespace heddle::theory {

std::string imported_topology(u32 nodes, const std::vector<u32>& switches, const std::vector<CableSpec>& cables) {
  const std::string path = test::fresh_file("topology.txt");
  std::ofstream file(path);
  file << nodes << ' ' << switches.size() << ' ' << cables.size() << '\n';
  for (const u32 id : switches) file << id << ' ';
  file << '\n';
  for (const CableSpec& c : cables) {
    file << c.a << ' ' << c.b << ' ' << c.bits_per_s << "bps " << c.latency_ps << "ps 0\n";
  }
  file.close();
  EXPECT_TRUE(file.good()) << path << " cannot be written";
  return fmt::format("[topology]\nkind = 'hpcc'\nfile = '{}'\n", path);
}

std::string line_topology(const std::vector<Hop>& hops) {
  std::vector<u32> switches;
  std::vector<CableSpec> cables;
  for (u32 i = 0; i < hops.size(); ++i) {
    if (i > 0) switches.push_back(i);
    cables.push_back({i, i + 1, hops[i].bits_per_s, hops[i].latency_ps});
  }
  return imported_topology(static_cast<u32>(hops.size()) + 1, switches, cables);
}

}  // namespace heddle::theory
