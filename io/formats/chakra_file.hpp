// One file of a Chakra trace: its messages, and the attributes of its nodes.
#pragma once

#include <chakra.pb.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// "PATH: node 3 'name'", as messages about a node begin.
std::string place_of_node(const std::string& path, const chakra::Node& node);
[[noreturn]] void fail_at_node(const std::string& path, const chakra::Node& node, std::string_view problem);

/// The nodes of a file, in its order. Throws InputError with the byte of what is malformed.
std::vector<chakra::Node> read_chakra_nodes(const std::string& path);

/// The attributes of a node by name, whatever their type was. Throws InputError with file and node.
class NodeAttributes {
 public:
  NodeAttributes(const std::string& path, const chakra::Node& node) : path_(path), node_(node) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// A whole number from 0 to `most`.
  std::optional<u64> number(std::string_view name, u64 most) const;
  /// The same, of a node that must have it.
  u64 needed_number(std::string_view name, u64 most) const;
  bool flag(std::string_view name) const;
  /// A text, or a number as text.
  std::string text(std::string_view name) const;
  /// Flags that are all set, or none.
  bool all_set(std::string_view name) const;

 private:
  const chakra::Attribute* find(std::string_view name) const;
  [[noreturn]] void fail(std::string_view name, std::string_view problem) const;

  const std::string& path_;
  const chakra::Node& node_;
};

}  // namespace heddle
