// A World that is simulated twice: all of it, and with what repeats itself skipped.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// Expects that skipping changes nothing of what the configuration `text` asks for. Returns how many packet-hops were
/// skipped.
u64 skipped_without_a_trace(const std::string& text);

}  // namespace heddle
