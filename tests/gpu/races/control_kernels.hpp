// Kernels that race, and such that do not, to show that the check tells them apart.
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
