// Reports on a machine without a GPU, and on one whose driver fails: the first leaves the work to the CPU, the second
// is an error that must not look like the first.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "cuda_runtime.h"
#include "kernels/backends/count_gpus.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

class GpuCount : public testing::Test {
 protected:
  ~GpuCount() override { cuda_on_cpu::machine() = {}; }
};

TEST_F(GpuCount, WithoutDeviceOrDriverThereIsNone) {
  EXPECT_EQ(count_gpus(), 1u);
  cuda_on_cpu::machine() = {cudaErrorNoDevice, 0, 13000};
  EXPECT_EQ(count_gpus(), 0u);
  cuda_on_cpu::machine() = {cudaErrorInsufficientDriver, 0, 0};
  EXPECT_EQ(count_gpus(), 0u) << "no driver is installed";
}

TEST_F(GpuCount, ADriverThatFailsIsAnError) {
  cuda_on_cpu::machine() = {cudaErrorInsufficientDriver, 0, 12040};
  const std::string message = test::message_of<std::runtime_error>(count_gpus);
  EXPECT_NE(message.find("it knows CUDA 12.4, this program needs 13.0"), std::string::npos) << message;
}

}  // namespace
}  // namespace heddle
