// Chakra traces byte by byte, for tests: messages of protobuf, each behind its length.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::test {

inline std::string varint(u64 value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7f));
  return bytes + static_cast<char>(value);
}

inline std::string number_field(u32 field, u64 value) { return varint(field << 3) + varint(value); }
inline std::string bytes_field(u32 field, const std::string& bytes) {
  return varint((field << 3) | 2) + varint(bytes.size()) + bytes;
}
/// A message as it stands in a file.
inline std::string delimited(const std::string& message) { return varint(message.size()) + message; }

constexpr u32 kInt64Val = 9, kUint64Val = 13, kBoolVal = 27, kStringVal = 29;

inline std::string attribute(const std::string& name, u64 value, u32 type = kInt64Val) {
  return bytes_field(10, bytes_field(1, name) + number_field(type, value));
}
inline std::string text_attribute(const std::string& name, const std::string& value) {
  return bytes_field(10, bytes_field(1, name) + bytes_field(kStringVal, value));
}

constexpr u32 kMetadataNode = 1, kMemLoadNode = 2, kCompNode = 4, kSendNode = 5, kRecvNode = 6, kCollNode = 7;

struct ChakraNode {
  u64 id = 0;
  u32 type = kCompNode;
  std::vector<u64> data_deps = {};
  std::string rest = {};  // more fields

  std::string bytes() const {
    std::string message = number_field(1, id) + bytes_field(2, "n" + std::to_string(id)) + number_field(3, type);
    std::string packed;
    for (const u64 dep : data_deps) packed += varint(dep);
    if (!packed.empty()) message += bytes_field(5, packed);
    return delimited(message + rest);
  }
};

inline ChakraNode computation(u64 id, u64 micros, std::vector<u64> after = {}) {
  return {id, kCompNode, std::move(after), number_field(7, micros)};
}
inline ChakraNode collective(u64 id, u32 type, u64 bytes, std::vector<u64> after = {}, const std::string& more = {}) {
  return {id, kCollNode, std::move(after), attribute("comm_type", type) + attribute("comm_size", bytes) + more};
}
inline ChakraNode sends(u64 id, u32 to, u64 bytes, std::vector<u64> after = {}) {
  return {id, kSendNode, std::move(after), attribute("comm_dst", to) + attribute("comm_size", bytes)};
}
inline ChakraNode receives(u64 id, u32 from, u64 bytes, std::vector<u64> after = {}) {
  return {id, kRecvNode, std::move(after), attribute("comm_src", from) + attribute("comm_size", bytes)};
}

inline const std::string kChakraHead = delimited(bytes_field(1, "0.0.4"));

/// Files of ranks in this folder. Returns the prefix of their names.
inline std::string chakra_trace(const std::string& folder, const std::vector<std::vector<ChakraNode>>& ranks) {
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    std::ofstream file(folder + "/t." + std::to_string(rank) + ".et", std::ios::binary);
    file << kChakraHead;
    for (const ChakraNode& node : ranks[rank]) file << node.bytes();
  }
  return folder + "/t";
}

}  // namespace heddle::test
