#include "tests/gpu/races/watched_run.hpp"

#include <cstdlib>

#include "kernels/backends/gpu/launch_parameters.hpp"
#include "tests/property/run_variant.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {
namespace {

/// One switch or endpoint per block: races inside a block are not seen.
constexpr const char* kSmallBlocks =
    "small_threads=32,big_threads=32,endpoint_threads=32,endpoint_lanes=1,team_ports=1";

}  // namespace

cuda_on_cpu::races::Found found_in(u64 seed, u32 ranks, bool by_ports) {
  setenv(kLaunchVariable, (std::string(kSmallBlocks) + (by_ports ? ",by_ports=1" : "")).c_str(), 1);
  Variant variant;
  variant.options.device = Device::gpu;
  variant.legs = {ranks};
  variant.cut_seed = seed;
  const World world = build(case_of_seed(seed));
  cuda_on_cpu::races::take_found();
  run_variant(world, variant, {});
  return cuda_on_cpu::races::take_found();
}

std::string text_of(const std::vector<cuda_on_cpu::races::Race>& races) {
  std::string text;
  for (std::size_t i = 0; i < races.size() && i < 10; ++i) text += cuda_on_cpu::races::text_of(races[i]);
  return text;
}

}  // namespace heddle::property
