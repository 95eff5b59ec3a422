// Recursive halving and doubling (Rabenseifner): in every round a reduce-scatter exchanges half of the rest with a rank
// at twice the distance, beginning with the neighbour; an all-gather does the same backwards; an all-reduce is both.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/stages.hpp"

namespace heddle {

std::vector<Stage> halving_doubling_stages(const Composition& of) {
  using enum CollectiveKind;
  if (!std::has_single_bit(of.ranks)) {
    throw ConfigError(
        fmt::format("algorithm = \"halving_doubling\" needs a power of two of ranks, and there are {}; take another "
                    "algorithm, or {} or {} GPUs",
                    of.ranks, std::bit_floor(of.ranks), std::bit_ceil(of.ranks)));
  }
  std::vector<Stage> halving, doubling;
  for (u32 distance = 1; distance < of.ranks; distance *= 2) {
    halving.push_back({reduce_scatter, distance, 2, distance});
    doubling.push_back({all_gather, distance, 2, distance});
  }
  std::ranges::reverse(doubling);
  if (of.kind == reduce_scatter) return halving;
  if (of.kind == all_gather) return doubling;
  halving.insert(halving.end(), doubling.begin(), doubling.end());
  return halving;
}

}  // namespace heddle
