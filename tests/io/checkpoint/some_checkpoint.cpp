#include "tests/io/checkpoint/some_checkpoint.hpp"

#include <filesystem>

#include "kernels/base/hash.hpp"

namespace heddle::test {

CheckpointHeader some_header(TimePs time_ps) {
  const RunInputs inputs{"[simulation]\nseed = 7\n", {{"workload.flow_file", 0xf00d}}};
  return {{"0.1.0", 0xfeed, 0xcafe, 0xbeef, inputs}, time_ps, {2, 3'000'000'000, 2'000'000'000, 1'000'000, 50, 6000}};
}

std::vector<u64> some_words(u64 seed, u64 count) {
  std::vector<u64> words(count);
  for (u64 i = 0; i < count; ++i) words[i] = hash64(seed, Stream::workload, i);
  return words;
}

std::string write_checkpoint(const std::string& path, const CheckpointHeader& header, u64 count) {
  CheckpointWriter writer(path, header);
  writer.begin("engine");
  writer.append(some_words(1, count));
  writer.begin("empty");
  writer.begin("result");
  writer.append(some_words(2, 100));
  writer.finish();
  return path;
}

std::vector<std::string> temporaries_of(const std::string& path) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path())) {
    const std::string each = entry.path().string();
    if (each.starts_with(path) && each.ends_with(".tmp")) found.push_back(each);
  }
  return found;
}

}  // namespace heddle::test
