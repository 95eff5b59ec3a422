#include "io/formats/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "io/formats/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxId = 0xfffffffe;
constexpr std::string_view kColumns = "src,dst,data_path,ack_path";

/// The words of a path, each with its own column.
std::vector<Field> hops_of(const Field& field) {
  std::vector<Field> hops;
  for (size_t at = 0; at < field.text.size();) {
    const size_t end = std::min(field.text.find(' ', at), field.text.size());
    if (end > at) hops.push_back({field.text.substr(at, end - at), field.line, field.column + static_cast<u32>(at)});
    at = end + 1;
  }
  return hops;
}

std::vector<u32> read_path(const TextFile& file, const Field& field, std::string_view name, u32 from, u32 to) {
  std::vector<u32> nodes;
  std::set<u32> visited;
  const std::vector<Field> hops = hops_of(field);
  for (const Field& hop : hops) {
    const auto node = static_cast<u32>(file.number(hop, fmt::format("node of {}", name), 0, kMaxId));
    if (!visited.insert(node).second) {
      file.fail(hop, fmt::format("{} visits node {} twice; packets would circle", name, node));
    }
    nodes.push_back(node);
  }
  if (nodes.size() < 2 || nodes.front() != from || nodes.back() != to) {
    file.fail(field, fmt::format("{} must lead from node {} to node {}, both included, separated by blanks; it is '{}'",
                                 name, from, to, excerpt(field.text)));
  }
  return nodes;
}

}  // namespace

std::vector<PlainPath> read_paths_csv(const std::string& path) {
  TextFile file(path, ",");
  file.take_header(kColumns);
  std::vector<PlainPath> paths;
  std::map<std::pair<u32, u32>, u32> line_of;
  while (!file.at_end()) {
    const TextLine& line = file.take("");
    file.expect_fields(line, kColumns, 4);
    PlainPath p;
    p.line = line.number;
    p.src = static_cast<u32>(file.number(line.fields[0], "src", 0, kMaxId, "node id"));
    p.dst = static_cast<u32>(file.number(line.fields[1], "dst", 0, kMaxId, "node id"));
    p.data = read_path(file, line.fields[2], "data_path", p.src, p.dst);
    p.ack = read_path(file, line.fields[3], "ack_path", p.dst, p.src);
    const auto [first, is_new] = line_of.try_emplace({p.src, p.dst}, p.line);
    if (!is_new) {
      file.fail(line.fields[0],
                fmt::format("pair {} -> {} is given twice, first in line {}; keep one", p.src, p.dst, first->second));
    }
    paths.push_back(std::move(p));
  }
  return paths;
}

}  // namespace heddle
