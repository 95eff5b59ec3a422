// Connection matrices of htsim: refused with a message, or a star has their messages, or they are refused with a
// message.
#include "io/formats/htsim.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  PlainMatrix read;
  if (!fuzz::accepts([&] { read = read_htsim_matrix(file.path()); })) return 0;
  for (const PlainFlowWaits& waits : read.waits)
    fuzz::require(waits.count <= waits.sent.size() + waits.received.size(), "it waits for no more than there are");
  if (read.nodes > 64) return 0;
  Config config;
  config.fabric.topology.kind = "star";
  config.fabric.topology.hosts = read.nodes;
  config.workload_files.flow_file = file.path();
  config.workload_files.flow_format = "htsim";
  fuzz::accepts([&] { workload_hash(build_world(config)); });
  return 0;
}
