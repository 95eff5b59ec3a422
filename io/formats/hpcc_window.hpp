// HPCC's windows (HAS_WIN, GLOBAL_T, VAR_WIN) as one of packets.
#pragma once

#include <string>
#include <vector>

#include "io/formats/hpcc_inputs.hpp"
#include "io/formats/hpcc_keys.hpp"

namespace heddle {

struct HpccWindow {
  u64 packets = 0;                              // 0: none
  std::string comment;                          // where it comes from
  std::vector<std::string> notes, meaningless;  // as of HpccImport
};

/// HPCC's NICs send of a queue pair while less than a window is on its way. What is on its way are full packets until
/// the last of a flow, so a window in bytes is as good as one in packets. `payload_bytes` is not 0. What has no such
/// window is added to the problems. `constant`: one that follows the rate (VAR_WIN) may stay at its largest.
HpccWindow hpcc_window(HpccConfig& config, const HpccInputs& inputs, u64 payload_bytes, bool constant);

}  // namespace heddle
