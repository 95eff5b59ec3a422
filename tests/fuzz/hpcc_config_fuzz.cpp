// HPCC's config.txt: refused with a message, or it becomes a configuration, which is refused or prints back to the
// same.
#include "io/formats/hpcc_import.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  HpccImport import;
  if (!fuzz::accepts([&] { import = import_hpcc_config(file.path(), "."); })) return 0;
  if (const std::optional<Config> config = fuzz::accepted_config(import.toml)) fuzz::require_round_trip(*config);
  return 0;
}
