#include "tests/gpu/races/found.hpp"

#include <unistd.h>
#include <algorithm>

#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

extern "C" const char __executable_start;

namespace cuda_on_cpu::races {
namespace {

struct All {
  std::mutex mutex;
  Seen seen;
  std::map<std::tuple<Use, Use, std::uint32_t, std::uint32_t>, Race> races;
};
All& all() {
  static All found;
  return found;
}

/// Returns "tick_switches at tick.hpp:38 (inlined by) ...": the innermost function first.
std::string words_of_place(std::uint32_t place) {
  char command[96];
  std::snprintf(command, sizeof command, "addr2line -e /proc/%d/exe -f -C -i -p -s 0x%x", getpid(), place);
  std::string words;
  if (FILE* const pipe = popen(command, "r")) {
    char piece[512];
    while (std::fgets(piece, sizeof piece, pipe) != nullptr) words += std::string("      ") + piece;
    pclose(pipe);
  }
  return words.empty() ? "      (addr2line says nothing)\n" : words;
}

std::string words_of(Use use, std::uint32_t place, const void* kernel, unsigned block) {
  static constexpr const char* kWords[] = {"reads", "writes", "updates atomically"};
  if (place == 0) return std::string("    a copy ") + kWords[use] + "\n";
  std::string who = block == kSeveral ? "a block" : "block " + std::to_string(block);
  if (kernel != nullptr) {
    const auto start = static_cast<std::uint32_t>(static_cast<const char*>(kernel) - &__executable_start);
    const std::string name = words_of_place(start);
    who += " of " + name.substr(6, name.find_first_of("( \n", 6) - 6);
  }
  return "    " + who + " " + kWords[use] + "\n" + words_of_place(place - 1);
}

}  // namespace

void count_launch(const Launch& launch) {
  const std::lock_guard lock(all().mutex);
  ++all().seen.launches;
  all().seen.blocks += launch.blocks;
  all().seen.max_blocks = std::max(all().seen.max_blocks, launch.blocks);
}

void add_race(const Race& race) {
  const std::lock_guard lock(all().mutex);
  all().races.try_emplace({race.first_use, race.second_use, race.first_place, race.second_place}, race);
}

Found take_found() {
  const std::lock_guard lock(all().mutex);
  Found found{all().seen, {}};
  for (const auto& [places, race] : all().races) found.races.push_back(race);
  all().seen = {};
  all().races.clear();
  return found;
}

std::string text_of(const Race& race) {
  return "the same byte, in no order:\n" +
         words_of(race.first_use, race.first_place, race.first_kernel, race.first_block) +
         words_of(race.second_use, race.second_place, race.second_kernel, race.second_block);
}

}  // namespace cuda_on_cpu::races
