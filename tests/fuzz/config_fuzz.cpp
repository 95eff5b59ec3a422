// A TOML configuration: refused with a message, or read, printed and read back to the same.
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle::fuzz;
  if (const auto config = accepted_config(text_of(data, size))) require_round_trip(*config);
  return 0;
}
