// A size distribution: refused with a message, or every draw from it lies between its first and its last size.
#include <algorithm>

#include "host/scenario/workload/size_cdf.hpp"
#include "io/formats/size_cdf.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  SizeCdf cdf;
  if (!fuzz::accepts([&] { cdf = size_cdf_of(read_size_cdf(file.path())); })) return 0;
  const u64 least = std::max<u64>(cdf.bytes.front(), 1), most = std::max<u64>(cdf.bytes.back(), 1);
  const auto in_range = [&](u64 bytes) { return bytes >= least && bytes <= most; };
  for (const u32 draw : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    fuzz::require(in_range(size_at(cdf, draw)), "a drawn size lies within the distribution");
  }
  fuzz::require(in_range(mean_bytes(cdf)), "the mean size lies within the distribution");
  return 0;
}
