// HPCC's topology.txt: refused with a message, or a fabric is built from it or refused with a message.
#include "io/formats/hpcc.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  // Every node must be linked, so what is accepted has no more nodes than the input has lines.
  if (!fuzz::accepts([&] { read_hpcc_topology(file.path()); })) return 0;
  Config config;
  config.fabric.topology.kind = "hpcc";
  config.fabric.topology.file = file.path();
  config.generators.resize(1);
  config.slow_receivers.push_back({.endpoints = {0}, .drain_bits_per_s = 1'000'000'000});
  fuzz::accepts([&] { topology_hash(build_world(config)); });
  return 0;
}
