// "Did you mean ...?": the known word closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle {

/// The candidate with the least edit distance (insert, delete, replace, swap neighbours) to `word`, or "" when none is
/// near enough to be worth suggesting (distance above a third of the longer word, at least 2).
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace heddle
