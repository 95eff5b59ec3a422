// Workloads of SimAI: refused with a message, or eight GPUs replay them, or they are refused with a message.
#include "io/formats/simai.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  for (const u32 gpus : {4u, 8u}) {
    if (fuzz::accepts([&] { read_simai(file.path(), gpus); })) fuzz::replay("simai", file.path(), gpus);
  }
  return 0;
}
