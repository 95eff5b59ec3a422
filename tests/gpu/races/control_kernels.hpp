// Kernels with and without races, to show that the check distinguishes them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cuda_on_cpu::races {

struct Control {
  std::string name;
  std::function<void()> run;
  bool races;
};
std::vector<Control> controls();

}  // namespace cuda_on_cpu::races
