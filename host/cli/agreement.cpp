#include "host/cli/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "host/base/error.hpp"
#include "io/hash_bytes.hpp"
#include "io/results/config_diff.hpp"

namespace heddle {
namespace {

constexpr size_t kMaxNamed = 8;

/// Names and values in turn, each followed by a zero.
std::string packed(const Given& given) {
  std::string text;
  for (const auto& [name, value] : given) (text += name + '\0') += value + '\0';
  return text;
}

Given unpacked(std::string_view text) {
  Given given;
  const auto next = [&] {
    const std::string_view word = text.substr(0, text.find('\0'));
    text.remove_prefix(word.size() + 1);
    return std::string(word);
  };
  while (!text.empty()) {
    std::string name = next();
    given.emplace(std::move(name), next());
  }
  return given;
}

/// The text as words: its size, then its bytes.
std::vector<u64> words_of(const std::string& text) {
  std::vector<u64> words(1 + (text.size() + sizeof(u64) - 1) / sizeof(u64));
  words[0] = text.size();
  if (!text.empty()) std::memcpy(words.data() + 1, text.data(), text.size());
  return words;
}

std::string text_of(const std::vector<u64>& words) {
  return {reinterpret_cast<const char*>(words.data() + 1), words[0]};
}

std::string named(const Given& first, const Given& other) {
  const std::vector<ConfigDifference> all = differences(std::array{first, other});
  std::string text;
  for (size_t i = 0; i < std::min(all.size(), kMaxNamed); ++i)
    text += fmt::format("\n  {}: {} on rank 0, {} there", all[i].key, all[i].values[0], all[i].values[1]);
  if (all.size() > kMaxNamed) text += fmt::format("\n  and {} more", all.size() - kMaxNamed);
  return text;
}

}  // namespace

void refuse_different_ranks(const Given& mine, const Ranks& ranks) {
  if (ranks.exchange() == nullptr) return;
  const std::string text = packed(mine);
  const u64 hash = absorb_bytes(0, std::as_bytes(std::span(text)));
  const std::vector<std::vector<u64>> hashes = ranks.exchange()->gather({&hash, 1});
  const auto other = std::find_if(hashes.begin(), hashes.end(), [&](const auto& word) { return word != hashes[0]; });
  if (other == hashes.end()) return;
  const std::vector<std::vector<u64>> texts = ranks.exchange()->gather_at_first(words_of(text));
  if (!ranks.first()) throw SaidElsewhere();
  const auto rank = other - hashes.begin();
  throw ConfigError(
      fmt::format("rank {} was not given what rank 0 was, so they cannot simulate one world together:{}\ngive all of "
                  "them the same program, files and arguments",
                  rank, named(mine, unpacked(text_of(texts[static_cast<size_t>(rank)])))));
}

}  // namespace heddle
