// "Did you mean ...?": the known word closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The candidate with the least edit distance (insert, delete, replace, swap neighbours) to `word`, or "" when none is
/// near enough to be worth suggesting (distance above a third of the longer word, at least 2).
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

/// The words of "a|b|c", as choices of a parameter are written.
std::vector<std::string_view> words_in(std::string_view choices);

}  // namespace heddle
