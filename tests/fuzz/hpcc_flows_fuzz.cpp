// HPCC's flow.txt: refused with a message, or it becomes messages of a star of 16 or is refused with a message.
#include "io/formats/hpcc.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  if (!fuzz::accepts([&] { read_hpcc_flows(file.path(), 0); })) return 0;
  Config config;
  config.fabric.topology.kind = "star";
  config.workload_files.flow_file = file.path();
  fuzz::accepts([&] { workload_hash(build_world(config)); });
  return 0;
}
