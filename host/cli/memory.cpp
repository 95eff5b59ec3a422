#include "host/cli/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "host/base/error.hpp"
#include "host/cli/control_groups.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr u64 kNoLimit = UINT64_MAX;

/// The number in a control file; "max", or no file: no limit.
u64 limit_in(const fs::path& file) {
  const std::string text = text_of(file);
  u64 bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end != text.data() ? bytes : kNoLimit;
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
  const u64 shared = std::min(machine, cgroup_limit_bytes(text_of("/proc/self/cgroup"), "/sys/fs/cgroup"));
  return std::min(shared / processes, address_space_bytes()) / 10 * 8;
}

u64 address_space_bytes() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  u64 pages = 0;  // in use
  const std::string text = text_of("/proc/self/statm");
  std::from_chars(text.data(), text.data() + text.size(), pages);
  const u64 used = pages * static_cast<u64>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<u64>(used, limit.rlim_cur);
}

MemoryBudget default_memory_budget(u32 processes, u32 ranks) {
  const std::string whose = processes > 1 ? fmt::format(", shared by {} processes", processes) : "";
  const u64 bytes = default_memory_bytes(processes), free = address_space_bytes();
  if (free != kNoLimit && bytes >= free / 10 * 8 / 100 * 99) return {bytes, "80 % of what ulimit -v leaves", ranks};
  return {bytes, "80 % of this machine's or its control group's memory" + whose, ranks};
}

u64 cgroup_limit_bytes(std::string_view membership, const fs::path& root) {
  u64 least = kNoLimit;
  for (const fs::path& group : control_groups(membership, root, "memory")) {
    least = std::min({least, limit_in(group / "memory.max"), limit_in(group / "memory.limit_in_bytes")});
  }
  return least;
}

}  // namespace heddle
