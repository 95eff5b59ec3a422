#include "tests/property/run_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <stdexcept>

#include "host/base/error.hpp"
#include "kernels/base/hash.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {
namespace {

constexpr const char* kFirstLine = "heddle-property state 1";

[[noreturn]] void bad_state(const std::filesystem::path& file, const std::string& why) {
  throw ConfigError(file.string() + ": " + why +
                    ", so no run can resume from it; name another file or remove this one");
}

u64 taken(std::map<std::string, u64>& numbers, const std::string& name, const std::filesystem::path& file) {
  const auto found = numbers.find(name);
  if (found == numbers.end()) bad_state(file, "\"" + name + "\" is missing");
  const u64 value = found->second;
  numbers.erase(found);
  return value;
}

}  // namespace

u64 generator_hash() {
  u64 hash = 0;
  for (u64 seed = 1; seed <= 64; ++seed) {
    for (char letter : text_of(case_of_seed(seed))) hash = absorb(hash, static_cast<u8>(letter));
  }
  return hash;
}

void write_state(const std::filesystem::path& file, const RunState& state) {
  std::string text = std::string(kFirstLine) + "\n";
  const auto number = [&](const std::string& name, u64 value) { text += fmt::format("{} {}\n", name, value); };
  number("generator", state.generator);
  number("first_seed", state.first_seed);
  number("run_worlds", state.worlds);
  number("seconds", state.seconds);
  for (u64 shard = 0; shard < kRunShards; ++shard) {
    number(fmt::format("next_seed_{}", shard), state.next_seed(shard));
  }
  for_each_number(state.coverage, [&](const char* name, u64 value) { number(name, value); });
  for (u64 seed : state.failed_seeds) number("failed_seed", seed);

  std::filesystem::path draft = file;
  draft += ".tmp";
  std::ofstream out(draft, std::ios::binary);
  out << text << std::flush;
  if (!out) throw std::runtime_error(draft.string() + ": cannot be written, so the run could not be resumed");
  out.close();
  const int descriptor = open(draft.c_str(), O_RDONLY);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  if (!synced) throw std::runtime_error(draft.string() + ": does not reach the disk, so the run could not be resumed");
  std::filesystem::rename(draft, file);
}

RunState read_state(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line != kFirstLine) {
    bad_state(file, std::string("does not begin with \"") + kFirstLine + "\"");
  }
  RunState state;
  std::map<std::string, u64> numbers;
  std::string name;
  u64 value = 0;
  while (in >> name >> value) {
    if (name == "failed_seed") {
      state.failed_seeds.push_back(value);
    } else if (!numbers.emplace(name, value).second) {
      bad_state(file, "\"" + name + "\" is there twice");
    }
  }
  if (!in.eof()) bad_state(file, "what follows \"" + name + "\" is no number");
  state.generator = taken(numbers, "generator", file);
  state.first_seed = taken(numbers, "first_seed", file);
  state.worlds = taken(numbers, "run_worlds", file);
  state.seconds = taken(numbers, "seconds", file);
  for (u64 shard = 0; shard < kRunShards; ++shard) {
    const std::string key = fmt::format("next_seed_{}", shard);
    const u64 next = taken(numbers, key, file), first = state.first_seed + shard;
    if (next < first || (next - first) % kRunShards != 0) bad_state(file, "\"" + key + "\" is no seed of its shard");
    state.done[shard] = (next - first) / kRunShards;
  }
  for_each_number(state.coverage, [&](const char* key, u64& number) { number = taken(numbers, key, file); });
  if (!numbers.empty()) bad_state(file, "\"" + numbers.begin()->first + "\" is unknown");
  if (state.generator != generator_hash()) {
    bad_state(file, "was written for another generator of worlds, in which its seeds mean other worlds");
  }
  return state;
}

}  // namespace heddle::property
