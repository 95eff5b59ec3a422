// The two binary trees of an all-reduce (Sanders, Speck and Traeff 2009), over nodes that may be servers.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// In the first tree node 0 is the root; the second is the first one mirrored, or shifted by one when the number of
/// nodes is odd: no node has children in both (with an odd number, at most one).
class BinaryTree {
 public:
  BinaryTree(u32 nodes, bool second) : nodes_(nodes), second_(second) {}

  /// The parent; kNone: this is the root. `first_child`: whether this is the first of the parent's two children.
  u32 up(u32 node, bool& first_child) const {
    const u32 place = place_of(node);
    if (place == 0) return kNone;
    const u32 above = parent_in_order(place);
    first_child = place < above;
    return node_at(above);
  }

 private:
  /// The children of place i, with lowest bit b, are i - b/2 and i + b/2, or the nearest existing places towards i.
  u32 parent_in_order(u32 i) const {
    const u32 bit = i & (0 - i), up = (i ^ bit) | (bit << 1);
    return up < nodes_ ? up : i ^ bit;
  }
  /// The place of a node in the tree, and back.
  u32 place_of(u32 node) const {
    if (!second_) return node;
    return nodes_ % 2 == 0 ? nodes_ - 1 - node : (node + nodes_ - 1) % nodes_;
  }
  u32 node_at(u32 place) const {
    if (!second_) return place;
    return nodes_ % 2 == 0 ? nodes_ - 1 - place : (place + 1) % nodes_;
  }
  u32 nodes_;
  bool second_;
};

}  // namespace heddle
