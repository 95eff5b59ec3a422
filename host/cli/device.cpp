#include "host/cli/device.hpp"

#include "host/error.hpp"

#ifdef HEDDLE_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace heddle {
namespace {

#ifdef HEDDLE_WITH_CUDA
constexpr bool kBuiltWithGpu = true;
bool gpu_present() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
#else
constexpr bool kBuiltWithGpu = false;
bool gpu_present() { return false; }
#endif

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
