// Whether anything can still be written.
#pragma once

#include <string>

namespace heddle {

/// "" when some KB can be written to a file in this folder; else why not, where that is the machine's fault (a full
/// disk, a quota). Leaves nothing.
std::string why_no_room(const std::string& folder);

}  // namespace heddle
