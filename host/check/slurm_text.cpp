#include "host/check/slurm_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace heddle {

std::string slurm_text(u32 ranks, u64 bytes, double seconds) {
  constexpr double kMemoryShare = 0.8, kMoreMemory = 1.5, kMoreTime = 2;
  const double gib = std::ceil(static_cast<double>(bytes) * kMoreMemory / kMemoryShare / (u64{1} << 30));
  std::string text = fmt::format("slurm      #SBATCH --ntasks={} --mem-per-cpu={:.0f}G", ranks, gib);
  if (seconds > 0) {
    const auto minutes = static_cast<u64>(std::ceil(kMoreTime * seconds / 60)) + 1;  // a minute to start in
    const u64 days = minutes / (24 * 60);
    text += fmt::format(" --time={}{:02}:{:02}:00", days == 0 ? "" : fmt::format("{}-", days), minutes / 60 % 24,
                        minutes % 60);
  }
  return text + "   (for slurm/run.sbatch: half as much memory again, twice the time)\n";
}

}  // namespace heddle
