// Chakra's traces of two ranks (the input, or its parts before and behind "RANK"): refused with a message, or a star
// replays them, or they are refused with a message.
#include "io/formats/chakra.hpp"

#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz.hpp"

namespace {

/// Where the files of the ranks are, until the program ends.
struct Folder {
  std::string name = (std::filesystem::temp_directory_path() / "heddle_fuzz_XXXXXX").string();
  Folder() { heddle::fuzz::require(mkdtemp(name.data()) != nullptr, "there is room for a folder"); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(name, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  static const Folder kept;
  const std::string& folder = kept.name;
  const std::string_view text = fuzz::text_of(data, size);
  constexpr std::string_view kNext = "RANK";
  const std::size_t cut = text.find(kNext);
  for (const u32 rank : {0u, 1u}) {
    std::ofstream file(folder + "/t." + std::to_string(rank) + ".et", std::ios::binary);
    file << (cut == text.npos ? text : rank == 0 ? text.substr(0, cut) : text.substr(cut + kNext.size()));
  }
  Trace trace;
  if (!fuzz::accepts([&] { trace = read_chakra(folder + "/t", ""); })) return 0;
  fuzz::require_order(trace);
  fuzz::replay("chakra", folder + "/t", 2);
  return 0;
}
