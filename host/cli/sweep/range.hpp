// "first..last:step" of an axis, in exact decimals.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Without blanks at its ends.
std::string_view trimmed(std::string_view text);

/// The values of a range, both ends included: "1..5", "0.1..0.5:0.1", "10 us..50 us:10 us". All three parts have the
/// same unit, or none; it may stand in quotes ("\"10 us\"..\"50 us\":\"10 us\""). The step may be left out where both
/// ends are whole numbers without unit: then it is 1. Values are written with as many decimals as the most exact part.
/// Nothing when the text is no range: a word, a file name ("../a.txt"), a single number. Throws ConfigError when it
/// begins as a range but is none: no step, a step that does not meet the last value, more than `most` values.
std::optional<std::vector<std::string>> range_of(std::string_view text, std::size_t most);

}  // namespace heddle
