// Runs what may crash, or never end, in a process of its own.
#pragma once

#include <chrono>
#include <functional>

#include "kernels/base/types.hpp"

namespace heddle::property {

enum class ChildEnd : u8 { returned_true = 0, returned_false = 1, crashed = 2, too_long = 3 };

/// Ends this process by a signal once it takes `limit` more of processor time, or once ten times as long has passed on
/// the clock: then it waits for what never comes. A later call replaces the limits of an earlier one.
void limit_time(std::chrono::seconds limit);

/// Calls `question` in a forked process with limit_time(limit). Call it while no other thread runs. Throws
/// std::system_error when no process can be made.
ChildEnd ask_in_child(const std::function<bool()>& question, std::chrono::seconds limit);

}  // namespace heddle::property
