// Files of text that a command writes at a path of the user's.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Writes beside the path first, so that a full disk leaves no partial file. `replaces`: it may replace a file.
/// `option`: the one that gives the path, for messages. Throws OutputError, MachineFault.
void write_text_file(const std::string& path, const std::string& text, bool replaces, std::string_view option);

/// Why a file that is there may not be replaced: it cannot be read, or its first line holds no `mark`, which that of
/// `what` does. "" where it may be, as an empty file.
std::string why_not_replaced(const std::string& path, std::string_view mark, std::string_view what);

}  // namespace heddle
