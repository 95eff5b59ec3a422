// How deep the keys and values of a TOML text nest.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle {

/// A configuration's longest key has 6 parts (job.0.collective.0.sizes.0), and its values nest 3 deep.
inline constexpr std::size_t kMaxTomlNesting = 32;

/// The line, from 1, of the first key with more than kMaxTomlNesting parts, or of the first value inside more lists and
/// tables than that; nothing where there is none. TOML tables are parsed, read and freed by recursion, so the tables
/// that a hostile text of a megabyte declares would overflow the stack: ask before the text is parsed.
std::optional<std::size_t> line_nested_too_deep(std::string_view toml);

}  // namespace heddle
