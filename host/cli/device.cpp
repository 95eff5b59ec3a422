#include "host/cli/device.hpp"

#include <stdexcept>

#include "host/base/error.hpp"
#include "kernels/backends/count_gpus.hpp"

namespace heddle {
namespace {

#ifdef HEDDLE_WITH_CUDA
constexpr bool kBuiltWithGpu = true;
#else
constexpr bool kBuiltWithGpu = false;
#endif

/// A driver that fails does not count as no GPU: a user of a GPU machine wants no silent fallback to the CPU.
bool gpu_present() {
  try {
    return count_gpus() > 0;
  } catch (const std::runtime_error& error) {
    throw ConfigError(error.what());
  }
}

}  // namespace

Device choose_device(const std::string& word, bool threads_given) {
  if (word == "cpu" || (word == "auto" && (threads_given || !gpu_present()))) return Device::cpu;
  if (threads_given) {
    throw ConfigError(
        "--threads: the CPU's threads do not work with --device gpu, so the number would be ignored; remove it, or use "
        "--device cpu");
  }
  if (!kBuiltWithGpu) {
    throw ConfigError(
        "--device gpu: this program was built without the GPU backend; use --device cpu, or build the preset `cuda`");
  }
  if (!gpu_present()) {
    throw ConfigError(
        "--device gpu: no usable GPU was found (is the driver loaded, is CUDA_VISIBLE_DEVICES empty?); "
        "use --device cpu");
  }
  return Device::gpu;
}

}  // namespace heddle
