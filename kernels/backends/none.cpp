// Stands in for the GPU backend in a build without CUDA.
#include <stdexcept>

#include "kernels/backends/backend.hpp"
#include "kernels/backends/count_gpus.hpp"

#if !defined(HEDDLE_WITH_CUDA)
namespace heddle {

u32 count_gpus() { return 0; }

std::unique_ptr<Backend> make_gpu_backend(Model&, const EngineOptions&, TimePs) {
  throw std::invalid_argument(
      "device: this build has no GPU backend; build it with the cuda preset, or use --device cpu");
}

}  // namespace heddle
#endif
