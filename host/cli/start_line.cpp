#include "host/cli/start_line.hpp"

#include <fmt/format.h>

#include "host/base/quantity_text.hpp"
#include "host/cli/cores.hpp"
#include "host/cli/pace.hpp"
#include "io/results/title.hpp"

namespace heddle {
namespace {

std::string counted(u64 count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

/// The machine and the cores that this process may use.
std::string machine(const EngineOptions& options, u32 ranks) {
  const std::string each = ranks > 1 ? counted(ranks, "rank") + " of " : "";
  if (options.device == Device::gpu) return each + "1 GPU";
  return fmt::format("{}{}{}{}", each, counted(options.threads, "thread"), ranks > 1 ? " each, here " : " of ",
                     counted(usable_cores(cores_of_process()), "core"));
}

/// The memory of the state; queued packets add to it, up to the limit.
std::string memory(const EngineOptions& options, u32 ranks, u64 bytes) {
  const u64 limit = options.memory_limit_bytes;  // 0: a GPU checks its own memory
  if (limit == 0) return bytes_text(bytes);
  if (ranks == 1) return fmt::format("{} of state (limit {})", bytes_text(bytes), bytes_text(limit));
  return fmt::format("{} in all, at most {} per rank", bytes_text(bytes), bytes_text(limit));
}

}  // namespace

std::string start_line(const World& world, const EngineOptions& options, const RankReport& ranks, u64 memory_bytes,
                       const Cost& cost) {
  const std::string exchange = ranks.ranks == 1 ? "" : "; exchange " + ranks.exchange;
  std::string text = fmt::format("{}; {}{}; {}; about {}", title_of(world), machine(options, ranks.ranks), exchange,
                                 memory(options, ranks.ranks, memory_bytes), hops_text(cost.packet_hops));
  if (world.clocks.horizon_ps < kNever) {
    text += fmt::format("; until {} at the latest", time_text(world.clocks.horizon_ps));
  }
  return text;
}

}  // namespace heddle
