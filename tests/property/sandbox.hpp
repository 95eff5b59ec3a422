// Runs what may crash, or never end, in a process of its own.
#pragma once

#include <chrono>
#include <functional>

#include "kernels/base/types.hpp"

namespace heddle::property {

enum class ChildEnd : u8 { returned_true = 0, returned_false = 1, crashed = 2, too_long = 3 };

/// Calls `question` in a forked process, which is ended after `limit` (whole seconds, at least one). Call it while no
/// other thread runs. Throws std::system_error when no process can be made.
ChildEnd ask_in_child(const std::function<bool()>& question, std::chrono::seconds limit);

}  // namespace heddle::property
