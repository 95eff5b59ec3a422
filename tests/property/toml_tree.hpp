// Visits and changes a parsed configuration by paths, without knowing its meaning.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::property {

/// Keys, and indices as decimal numbers: {"job", "0", "collective", "1", "kind"}.
using TomlPath = std::vector<std::string>;

/// Returns nullptr where there is none.
toml::node* find(toml::table& root, const TomlPath& path);

/// Returns every path but the root's, tables and lists before their contents.
std::vector<TomlPath> all_paths(toml::table& root);

/// Removes a key of a table, or `count` elements of a list from the path's last index on. Returns false when there is
/// none.
bool remove(toml::table& root, const TomlPath& path, std::size_t count = 1);

/// A whole number, alone or with a unit ("300 ns").
struct Amount {
  u64 value = 0;
  std::string unit;  // with the blank before it; empty for an integer
};
std::optional<Amount> amount_of(const toml::node& node);
/// Replaces the amount at `path` by `value`.
void set_amount(toml::table& root, const TomlPath& path, u64 value);

std::string text_of(const toml::table& root);

}  // namespace heddle::property
