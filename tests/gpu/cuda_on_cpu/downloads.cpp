#include "tests/gpu/cuda_on_cpu/observer.hpp"

std::unique_ptr<cuda_on_cpu::Observer> cuda_on_cpu::make_observer() { return nullptr; }
