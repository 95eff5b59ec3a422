#include "host/cli/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "host/config/units.hpp"
#include "host/error.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr u64 kNoLimit = UINT64_MAX;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The number in a control file; "max", or no file: no limit.
u64 limit_in(const fs::path& file) {
  const std::string text = text_of(file);
  u64 bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end != text.data() ? bytes : kNoLimit;
}

/// The least limit of a group and of all that it lies in.
u64 least_limit(const fs::path& mount, const std::string& group, const char* file) {
  u64 least = limit_in(mount / file);
  fs::path path = mount;
  for (const fs::path& part : fs::path(group).relative_path()) {
    path /= part;
    least = std::min(least, limit_in(path / file));
  }
  return least;
}

bool has_memory(const std::string& controllers) {
  return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

}  // namespace

u64 memory_of(const std::string& argument) {
  const QuantityResult size = parse_quantity(argument, Quantity::bytes);
  if (!size.problem.empty()) throw ConfigError(fmt::format("--memory {}: \"{}\" {}", argument, argument, size.problem));
  if (size.value == 0) throw ConfigError("--memory 0: nothing can be simulated in no memory; give a size such as 6GiB");
  return static_cast<u64>(size.value);
}

u64 default_memory_bytes(u32 processes) {
  const u64 machine = static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
  return std::min(machine, cgroup_limit_bytes(text_of("/proc/self/cgroup"), "/sys/fs/cgroup")) / 10 * 8 / processes;
}

MemoryBudget default_memory_budget(u32 processes, u32 ranks) {
  const std::string whose = processes > 1 ? fmt::format(", shared by {} processes", processes) : "";
  return {default_memory_bytes(processes), "80 % of this machine's or its control group's memory" + whose, ranks};
}

u64 cgroup_limit_bytes(std::string_view membership, const fs::path& root) {
  u64 least = kNoLimit;
  std::istringstream lines{std::string(membership)};
  for (std::string line; std::getline(lines, line);) {  // hierarchy:controllers:group
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (has_memory(controllers)) least = std::min(least, least_limit(root / "memory", group, "memory.limit_in_bytes"));
    if (controllers.empty()) {  // version 2, alone or beside version 1
      least =
          std::min({least, least_limit(root, group, "memory.max"), least_limit(root / "unified", group, "memory.max")});
    }
  }
  return least;
}

}  // namespace heddle
