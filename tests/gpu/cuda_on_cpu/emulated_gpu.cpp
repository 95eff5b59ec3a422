// The GPU backend, host code and kernels, compiled for the CPU. It takes the place of the one that refuses, so here an
// Engine of Device::gpu runs.
#include "kernels/backends/gpu/cuda.cu"
