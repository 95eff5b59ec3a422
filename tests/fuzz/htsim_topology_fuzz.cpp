// Topologies of htsim: refused with a message, or a fabric is built from it or refused with a message.
#include "io/formats/htsim.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  PlainTopology read;
  if (!fuzz::accepts([&] { read = read_htsim_topology(file.path()); })) return 0;
  fuzz::require(read.nodes > read.switches.size(), "there are hosts");
  if (read.nodes > 1000 || read.links.size() > 10'000) return 0;
  Config config;
  config.fabric.topology.kind = "htsim";
  config.fabric.topology.file = file.path();
  config.generators.resize(1);
  fuzz::accepts([&] { topology_hash(build_world(config)); });
  return 0;
}
