// Writes the text of a configuration, section by section, and of its files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::property {

class TomlText {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;  // (name beside the configuration, content)

  /// `stem`: the begin of the names of its files.
  explicit TomlText(std::string stem) : stem_(std::move(stem)) {}

  /// `header` with its brackets: "[roce]" or "[[message]]".
  void section(std::string_view header) { text_ += "\n" + std::string(header) + "\n"; }
  void number(std::string_view key, u64 value) { raw(key, std::to_string(value)); }
  void ratio(std::string_view key, double value) { raw(key, std::to_string(value)); }
  void flag(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }
  void word(std::string_view key, std::string_view value) { raw(key, quoted(std::string(value))); }
  void time_ps(std::string_view key, u64 value) { raw(key, quoted(std::to_string(value) + " ps")); }
  void bytes(std::string_view key, u64 value) { raw(key, quoted(std::to_string(value) + " B")); }
  void bits_per_s(std::string_view key, u64 value) {
    const bool whole_gigabits = value % 1'000'000'000 == 0;
    raw(key,
        quoted(std::to_string(whole_gigabits ? value / 1'000'000'000 : value) + (whole_gigabits ? " Gb/s" : " b/s")));
  }
  /// `value` is TOML text, such as a list.
  void raw(std::string_view key, std::string_view value) {
    text_ += std::string(key) + " = " + std::string(value) + "\n";
  }
  /// Adds a file beside the configuration.
  void file(std::string_view key, std::string_view suffix, std::string content) {
    files_.emplace_back(stem_ + std::string(suffix), std::move(content));
    word(key, files_.back().first);
  }
  const std::string& text() const { return text_; }
  const Files& files() const { return files_; }

  static std::string quoted(const std::string& value) { return "\"" + value + "\""; }

 private:
  std::string stem_, text_;
  Files files_;
};

}  // namespace heddle::property
