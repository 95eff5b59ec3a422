// The matrix of an all-to-all-v: refused with a message, or a world is made of it, or it is refused with a message.
#include "io/formats/byte_matrix.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  if (!fuzz::accepts([&] { read_byte_matrix(file.path()); })) return 0;
  Config config = fuzz::small_zone("ecmp");
  JobOptions job;
  job.gpus_per_server = 1;
  job.collectives.push_back({.kind = "all_to_all_v", .matrix_file = file.path()});
  config.jobs = {job};
  fuzz::accepts([&] { workload_hash(build_world(config)); });
  return 0;
}
