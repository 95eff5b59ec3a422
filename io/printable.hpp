// Text of others (file names, configurations, what a result file holds) on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The text with everything escaped that a terminal would obey instead of showing: control characters but the line
/// feed ("\x1b", "\t"), the C1 controls, and bytes that are no UTF-8 ("\xff").
std::string printable(std::string_view text);

/// A name on one line: printable(), with the line feed as "\n", too.
std::string printable_name(std::string_view name);

/// A text as TOML writes it: in quotes, what a terminal would obey as an escape.
std::string quoted(std::string_view text);

/// The name as a message quotes it: of a long one the beginning, and "...".
std::string excerpt(std::string_view name);

}  // namespace heddle
