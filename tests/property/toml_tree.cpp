#include "tests/property/toml_tree.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace heddle::property {
namespace {

std::size_t index_of(const std::string& part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size()) {
    throw std::logic_error("\"" + part + "\" is no index, but stands for an element of a list");
  }
  return index;
}

toml::node* child(toml::node& node, const std::string& part) {
  if (toml::table* table = node.as_table()) return table->get(part);
  if (toml::array* list = node.as_array()) return list->get(index_of(part));
  return nullptr;
}

void collect(toml::node& node, TomlPath& at, std::vector<TomlPath>& paths) {
  const auto visit = [&](std::string part, toml::node& inner) {
    at.push_back(std::move(part));
    paths.push_back(at);
    collect(inner, at, paths);
    at.pop_back();
  };
  if (toml::table* table = node.as_table()) {
    for (auto&& [key, inner] : *table) visit(std::string(key.str()), inner);
  } else if (toml::array* list = node.as_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) visit(std::to_string(i), *list->get(i));
  }
}

}  // namespace

toml::node* find(toml::table& root, const TomlPath& path) {
  toml::node* node = &root;
  for (const std::string& part : path) {
    node = child(*node, part);
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::vector<TomlPath> all_paths(toml::table& root) {
  std::vector<TomlPath> paths;
  TomlPath at;
  collect(root, at, paths);
  return paths;
}

bool remove(toml::table& root, const TomlPath& path, std::size_t count) {
  toml::node* parent = find(root, TomlPath(path.begin(), path.end() - 1));
  if (parent == nullptr) return false;
  if (toml::table* table = parent->as_table()) return table->erase(path.back()) != 0;
  toml::array* list = parent->as_array();
  if (list == nullptr) return false;
  const std::size_t first = index_of(path.back()), last = std::min(first + count, list->size());
  if (first >= last) return false;
  list->erase(list->begin() + static_cast<std::ptrdiff_t>(first), list->begin() + static_cast<std::ptrdiff_t>(last));
  return true;
}

std::optional<Amount> amount_of(const toml::node& node) {
  if (const auto* integer = node.as_integer()) {
    if (integer->get() < 0) return std::nullopt;
    return Amount{static_cast<u64>(integer->get()), ""};
  }
  const auto* word = node.as_string();
  if (word == nullptr) return std::nullopt;
  const std::string& text = word->get();
  Amount amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.value);
  const bool unit_follows = end != text.data() + text.size() && *end == ' ';
  if (error != std::errc() || !unit_follows) return std::nullopt;
  amount.unit.assign(end, text.data() + text.size());
  return amount;
}

void set_amount(toml::table& root, const TomlPath& path, u64 value) {
  toml::node* node = find(root, path);
  const auto amount = node == nullptr ? std::nullopt : amount_of(*node);
  if (!amount) throw std::logic_error("there is no amount at this path of the configuration");
  if (amount->unit.empty()) {
    node->as_integer()->get() = static_cast<i64>(value);
  } else {
    node->as_string()->get() = std::to_string(value) + amount->unit;
  }
}

std::string text_of(const toml::table& root) {
  std::ostringstream text;
  text << toml::toml_formatter(root, toml::format_flags::none) << "\n";  // "words", as everywhere in the project
  return text.str();
}

}  // namespace heddle::property
