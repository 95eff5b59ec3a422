// The GPU backend, host code and kernels, compiled for the CPU. It replaces the backend that refuses, so here an Engine
// of Device::gpu runs.
#include "kernels/backends/gpu/cuda.cu"
