// weights.csv: refused with a message, or links of a small zone have these weights, or it is refused with a message.
#include "io/formats/routing_files.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  if (!fuzz::accepts([&] { read_weights_csv(file.path()); })) return 0;
  Config config = fuzz::small_zone("weighted");
  config.routing.weights_file = file.path();
  fuzz::accepts([&] { topology_hash(build_world(config)); });
  return 0;
}
