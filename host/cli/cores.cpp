#include "host/cli/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <string>

#include "host/cli/control_groups.hpp"
#include "kernels/instantiate/options.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr u32 kNoLimit = UINT32_MAX;
constexpr u64 kMaxByDefault = 16;

/// A number of cores that Slurm has set; kNoLimit for any other text.
u32 in_environment(const char* name) {
  const char* text = std::getenv(name);
  const std::string_view word = text == nullptr ? "" : text;
  u32 cores = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), cores);
  return error == std::errc() && end == word.data() + word.size() && cores != 0 ? cores : kNoLimit;
}

u32 in_affinity() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<u32>(CPU_COUNT(&set)) : kNoLimit;
}

/// The whole cores of a quota "QUOTA PERIOD", both in us.
u32 whole_cores(const std::string& quota_and_period) {
  std::istringstream words(quota_and_period);
  double quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return kNoLimit;  // "max", -1, or no file
  return static_cast<u32>(std::clamp(quota / period, 1.0, 1e6));
}

}  // namespace

Cores cores_of_process() {
  return {std::min(in_affinity(), in_environment("SLURM_CPUS_PER_TASK")),
          std::min({static_cast<u32>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1l)), in_environment("SLURM_CPUS_ON_NODE"),
                    cgroup_cores(text_of("/proc/self/cgroup"), "/sys/fs/cgroup")})};
}

u32 usable_cores(const Cores& cores, u32 processes) {
  return std::max(1u, std::min(cores.own, cores.node / std::max(processes, 1u)));
}

u32 cgroup_cores(std::string_view membership, const fs::path& root) {
  u32 least = kNoLimit;
  for (const fs::path& group : control_groups(membership, root, "cpu")) {
    least = std::min({least, whole_cores(text_of(group / "cpu.max")),
                      whole_cores(text_of(group / "cpu.cfs_quota_us") + " " + text_of(group / "cpu.cfs_period_us"))});
  }
  return least;
}

u32 default_threads(u32 cores, u64 nodes) {
  const u64 busy = nodes / (EngineOptions{}.sharing_from_nodes / 2);  // the least shared tick is enough for two
  return static_cast<u32>(std::max<u64>(1, std::min({busy, u64{cores}, kMaxByDefault})));
}

}  // namespace heddle
