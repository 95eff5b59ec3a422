// demands.csv: refused with a message, or a plan for a small zone is made of it, or it is refused with a message.
#include "io/foreign/demands.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  if (!fuzz::accepts([&] { read_demands_csv(file.path()); })) return 0;
  Config config;
  config.fabric.topology.kind = "ai_zone";
  config.fabric.topology.racks = 2;
  config.fabric.topology.gpus_per_rack = 2;
  config.fabric.topology.ctsws = config.fabric.topology.uplinks_per_rtsw = 2;
  config.routing.policy = "traffic_engineering";
  config.routing.demands_file = file.path();
  config.messages.push_back({.src = 0, .dst = 2, .bytes = 4096});
  fuzz::accepts([&] { topology_hash(build_world(config)); });
  return 0;
}
