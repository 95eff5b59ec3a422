// Runs code that may crash, or never end, in a child process.
#pragma once

#include <chrono>
#include <functional>

#include "kernels/base/types.hpp"

namespace heddle::property {

enum class ChildEnd : u8 { returned_true = 0, returned_false = 1, crashed = 2, too_long = 3 };

/// Ends this process by a signal after `limit` more of processor time, or after ten times as long on the clock, when it
/// waits for an event that never comes. A later call replaces the limits of an earlier one.
void limit_time(std::chrono::seconds limit);

/// Calls `question` in a forked process with limit_time(limit). Call it while no other thread runs. Throws
/// std::system_error when no process can be made.
ChildEnd ask_in_child(const std::function<bool()>& question, std::chrono::seconds limit);

}  // namespace heddle::property
