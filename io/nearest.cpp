#include "io/nearest.hpp"

#include <algorithm>
#include <vector>

namespace heddle {
namespace {

/// Optimal string alignment distance: three rows of the usual table.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t best_distance = SIZE_MAX;
  for (const std::string_view candidate : candidates) {
    // a longer name that contains the word ("rate" in "host_rate") is as good as one typing error
    const bool contained = word.size() >= 3 && candidate.find(word) != std::string_view::npos;
    const size_t distance = contained ? 1 : edit_distance(word, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  const size_t limit = std::max<size_t>(2, std::max(word.size(), best.size()) / 3);
  return best_distance <= limit ? std::string(best) : std::string();
}

std::vector<std::string_view> words_in(std::string_view choices) {
  std::vector<std::string_view> words;
  while (!choices.empty()) {
    const size_t end = std::min(choices.find('|'), choices.size());
    words.push_back(choices.substr(0, end));
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return words;
}

}  // namespace heddle
