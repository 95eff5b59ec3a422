// How words lie in a checkpoint.
#pragma once

#include <fmt/format.h>

#include <string>

#include "kernels/base/types.hpp"

namespace heddle::checkpoint_layout {

/// Words per chunk of a section, 1 MiB; a shorter section is one chunk of its own length.
inline constexpr u64 kChunkWords = 131072;

/// The section that is the header's (run_section.hpp).
inline constexpr std::string_view kRunSection = "run";

/// A hash as attributes hold it: 16 hexadecimal digits.
inline std::string hex(u64 hash) { return fmt::format("{:016x}", hash); }

}  // namespace heddle::checkpoint_layout
