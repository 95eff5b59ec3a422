// Workloads of SimAI, as AICB writes them: layer by layer what every rank computes and sends.
#pragma once

#include "io/formats/trace.hpp"

namespace heddle {

/// Reads a workload for `gpus` ranks, which its header divides into tensor- and expert-parallel groups. Of each layer
/// forwards a computation and a collective; then backwards from the last one the input gradient and its collective, and
/// after that the weight gradient, whose collective is awaited at the end. Computations are in nanoseconds. Of a
/// MICRO workload, the one collective that SimAI does, without computations. Throws
/// InputError with line and column: what is malformed, does not fit so many ranks, or is not supported.
Trace read_simai(const std::string& path, u32 gpus);

}  // namespace heddle
