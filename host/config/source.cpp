#include "host/config/source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "host/base/error.hpp"
#include "io/formats/formats.hpp"
#include "io/ordinary_file.hpp"
#include "io/shell_word.hpp"
#include "io/toml_nesting.hpp"

namespace heddle {
namespace {

constexpr std::string_view kHdf5Begin = "\x89HDF\r\n\x1a\n";

[[noreturn]] void bad_set(const std::string& argument, const std::string& message) {
  throw ConfigError(fmt::format("--set {}: {}", argument, message));
}

/// Removes spaces, as people copy "seed = 3" from a file.
std::string_view without_spaces_around(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Whether TOML allows a key without quotes; our keys have no other characters.
bool is_bare_key(std::string_view part) {
  return std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::vector<std::string> split_path(const std::string& argument, std::string_view path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    parts.emplace_back(path.substr(begin, end - begin));
    if (parts.back().empty()) bad_set(argument, "empty part in the key; write section.key=value");
    if (!is_bare_key(parts.back())) {
      bad_set(argument, fmt::format("\"{}\" is no part of a key: those are of letters, digits, _ and -", parts.back()));
    }
    if (parts.size() > kMaxTomlNesting) bad_set(argument, fmt::format("a key of more than {} parts", kMaxTomlNesting));
    begin = end + 1;
  }
  return parts;
}

std::optional<size_t> index_of(std::string_view part) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return index;
}

/// A table with the single key `key`, so that key and value have the argument as their source.
toml::table parse_value(const std::string& argument, const std::string& key, const std::string& text) {
  const std::string origin = "--set " + argument;
  const auto quoted_key = fmt::format("\"{}\"", key);
  try {
    toml::table parsed = toml::parse(quoted_key + " = " + text + "\n", origin);
    if (parsed.size() == 1) return parsed;
  } catch (const toml::parse_error&) {
    // not TOML: a word or a quantity without quotes, as usual in a shell
  }
  const auto needs_escape = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '"' || c == '\\'; };
  if (std::ranges::any_of(text, needs_escape)) {
    bad_set(argument, "the value is neither TOML nor plain text without quotes and control characters");
  }
  try {
    return toml::parse(fmt::format("{} = \"{}\"\n", quoted_key, text), origin);
  } catch (const toml::parse_error& e) {
    bad_set(argument, std::string(e.description()));
  }
}

class SetArgument {
 public:
  explicit SetArgument(const std::string& argument) : argument_(argument) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) bad_set(argument, "expected section.key=value");
    parts_ = split_path(argument, without_spaces_around(std::string_view(argument).substr(0, equals)));
    text_ = std::string(without_spaces_around(std::string_view(argument).substr(equals + 1)));
  }

  void apply(toml::table& root) {
    toml::node* node = &root;
    for (size_t i = 0; i + 1 < parts_.size(); ++i) node = &step(*node, i);
    assign(*node);
  }

 private:
  std::string path_to(size_t depth) const {
    std::string path;
    for (size_t i = 0; i <= depth; ++i) path += (i == 0 ? "" : ".") + parts_[i];
    return path;
  }

  toml::node& step(toml::node& node, size_t i) {
    if (toml::array* list = node.as_array()) return element(*list, i);
    toml::table* table = node.as_table();
    if (table == nullptr) bad_set(argument_, fmt::format("\"{}\" is a value, not a section", path_to(i - 1)));
    if (toml::node* found = table->get(parts_[i])) return *found;
    // a number as the next part means a list of tables, which this argument begins
    put(*table, parse_value(argument_, parts_[i], index_of(parts_[i + 1]) ? "[]" : "{}"));
    return *table->get(parts_[i]);
  }

  toml::node& element(toml::array& list, size_t i) {
    const auto index = index_of(parts_[i]);
    if (!index) {
      bad_set(argument_, fmt::format("\"{}\" is a list of {}; address an element by its number, e.g. {}.0",
                                     path_to(i - 1), list.size(), path_to(i - 1)));
    }
    if (*index == list.size() && (list.empty() || list.is_array_of_tables())) {
      toml::table parsed = parse_value(argument_, parts_[i], "{}");  // makes the argument its source
      list.push_back(std::move(*parsed.begin()->second.as_table()));
    }
    if (*index >= list.size()) {
      bad_set(argument_, fmt::format("\"{}\" has {} element{}, counted from 0", path_to(i - 1), list.size(),
                                     list.size() == 1 ? "" : "s"));
    }
    return *list.get(*index);
  }

  void assign(toml::node& node) {
    const std::string& last = parts_.back();
    toml::table parsed = parse_value(argument_, last, text_);
    if (toml::table* table = node.as_table()) {
      if (const toml::node* old = table->get(last); old != nullptr && holds_sections(*old)) {
        bad_set(argument_, fmt::format("\"{}\" is a section; set one of its keys, e.g. {}.KEY=value",
                                       path_to(parts_.size() - 1), path_to(parts_.size() - 1)));
      }
      table->erase(last);
      put(*table, std::move(parsed));
    } else if (toml::array* list = node.as_array()) {
      const size_t depth = parts_.size() - 1;
      if (element(*list, depth).is_table()) {  // also refuses an index out of range
        bad_set(argument_, fmt::format("\"{}\" is a section; set one of its keys, e.g. {}.KEY=value", path_to(depth),
                                       path_to(depth)));
      }
      const auto entry = parsed.begin();
      const auto position = list->begin() + static_cast<std::ptrdiff_t>(*index_of(last));
      entry->second.visit([&](auto& concrete) { list->replace(position, std::move(concrete)); });
    } else {
      bad_set(argument_, fmt::format("\"{}\" is a value, not a section", path_to(parts_.size() - 2)));
    }
  }

  /// Moves the only key of `parsed`, with its value and the sources of both.
  static void put(toml::table& table, toml::table parsed) {
    const auto entry = parsed.begin();
    entry->second.visit([&](auto& concrete) { table.insert_or_assign(entry->first, std::move(concrete)); });
  }

  static bool holds_sections(const toml::node& node) {
    const toml::array* list = node.as_array();
    return node.is_table() || (list != nullptr && !list->empty() && list->is_array_of_tables());
  }

  std::string argument_, text_;
  std::vector<std::string> parts_;
};

/// Parts of the key, with element numbers without leading zeros.
std::vector<std::string> key_of(const std::string& argument) {
  std::vector<std::string> parts =
      split_path(argument, without_spaces_around(std::string_view(argument).substr(0, argument.find('='))));
  for (std::string& part : parts) {
    if (const auto index = index_of(part)) part = fmt::format("{}", *index);
  }
  return parts;
}

/// Refuses an argument that a later one replaces: later ones win, but one without effect is hardly intended.
void refuse_replaced(std::span<const std::string> sets) {
  std::vector<std::vector<std::string>> keys;
  for (const std::string& argument : sets) {
    if (argument.find('=') == std::string::npos || argument[0] == '=') return;  // refused later
    keys.push_back(key_of(argument));
    const std::vector<std::string>& key = keys.back();
    for (size_t i = 0; i + 1 < keys.size(); ++i) {
      const bool replaced = key.size() <= keys[i].size() && std::equal(key.begin(), key.end(), keys[i].begin());
      if (replaced) bad_set(argument, fmt::format("it replaces what --set {} has set; leave one of them out", sets[i]));
    }
  }
}

}  // namespace

toml::table read_toml_text(std::string_view text, const std::string& name) {
  if (const auto line = line_nested_too_deep(text)) {
    throw ConfigError(fmt::format("{}:{}: a key of more than {} parts, or as many lists and tables in each other", name,
                                  *line, kMaxTomlNesting));
  }
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    if (const std::string other = foreign_text(text, name); !other.empty())
      throw ConfigError(fmt::format("{}: is no configuration (TOML), but seems to be {}", name, other));
    const auto& at = e.source().begin;
    throw ConfigError(fmt::format("{}:{}:{}: not TOML: {}", name, at.line, at.column, e.description()));
  }
}

bool is_hdf5(const std::string& path) {
  const OrdinaryFile file(path);
  std::array<char, kHdf5Begin.size()> begin = {};
  return file.problem().empty() &&
         ::pread(file.descriptor(), begin.data(), begin.size(), 0) == static_cast<ssize_t>(begin.size()) &&
         std::string_view(begin.data(), begin.size()) == kHdf5Begin;
}

toml::table read_toml_file(const std::string& path) {
  if (is_hdf5(path)) {
    throw ConfigError(fmt::format(
        "{0}: is an HDF5 file, such as a result, and no configuration (TOML); `heddle info {1}` shows what is "
        "in it, and `heddle config {1}` prints the configuration of a result",
        path, shell_word(path)));
  }
  OrdinaryFile file(path);
  const std::optional<std::string> text = file.read_all(kMaxConfigBytes);
  if (!text) {
    const bool is_pair = path.find('=') != std::string::npos;
    const std::string advice =
        is_pair ? "; if it is a key with its value: --set takes one each, so write --set " + shell_word(path) : "";
    throw ConfigError(fmt::format("{}: cannot open this configuration file: {}{}", path, file.problem(), advice));
  }
  return read_toml_text(*text, path);
}

void apply_sets(toml::table& root, std::span<const std::string> sets) {
  refuse_replaced(sets);
  for (const std::string& argument : sets) SetArgument(argument).apply(root);
}

}  // namespace heddle
