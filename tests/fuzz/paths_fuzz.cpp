// paths.csv: refused with a message, or it routes a star of 16 hosts (switch0 is node 16) or is refused with a message.
#include "io/formats/paths.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  if (!fuzz::accepts([&] { read_paths_csv(file.path()); })) return 0;
  Config config;
  config.fabric.topology.kind = "star";
  config.routing.policy = "explicit";
  config.routing.paths_file = file.path();
  config.messages.push_back({.src = 0, .dst = 1, .bytes = 4096});
  fuzz::accepts([&] { workload_hash(build_world(config)); });
  return 0;
}
