// A check that files can still be written.
#pragma once

#include <string>

namespace heddle {

/// "" when some KB can be written to a file in this folder; else the error, if it is the machine's fault (a full disk,
/// a quota). Leaves no file.
std::string why_no_room(const std::string& folder);

}  // namespace heddle
