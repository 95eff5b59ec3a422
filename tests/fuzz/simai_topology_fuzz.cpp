// SimAI's topologies: refused with a message, or a fabric is built from it or refused with a message.
#include "io/formats/simai_topology.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  PlainServers read;
  // Every GPU must be linked, so what is accepted has no more GPUs than the input has lines.
  if (!fuzz::accepts([&] { read = read_simai_topology(file.path()); })) return 0;
  fuzz::require(read.gpus_per_server >= 1, "a server has a GPU");
  fuzz::require(read.gpus_per_server == 1 || read.nvlink_bits_per_s != 0, "GPUs of a server have NVLink");
  Config config;
  config.fabric.topology.kind = "simai";
  config.fabric.topology.file = file.path();
  config.generators.resize(1);
  fuzz::accepts([&] { topology_hash(build_world(config)); });
  return 0;
}
