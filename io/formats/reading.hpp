// What a configuration says of how to read flows and traces; each format takes what concerns it.
#pragma once

#include <string>

#include "io/formats/chakra.hpp"
#include "io/formats/goal.hpp"
#include "io/formats/htsim.hpp"

namespace heddle {

struct FlowReading {
  u32 nodes = 0;        // of the topology's file; 0: unknown
  u32 first_flows = 0;  // keep so many; 0: all
  StartUnit unit = StartUnit::ps;
};

struct TraceReading {
  u32 gpus = 0;  // of the job; 0: as many as the trace has
  u64 eager_bytes = kLogGOPSimEagerBytes;
  std::string groups_file;
  ChakraGpu gpu;
};

}  // namespace heddle
