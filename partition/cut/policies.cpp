#include "partition/cut/policies.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace heddle {
namespace {

struct NamedPolicy {
  std::string_view name;
  CutPolicy divide;
};

constexpr std::array kPolicies = {
    NamedPolicy{"metis", divide_by_metis},
    NamedPolicy{"blocks", divide_in_blocks},
};

CutPolicy policy_called(std::string_view name) {
  std::string known;
  for (const NamedPolicy& p : kPolicies) {
    if (p.name == name) return p.divide;
    known += (known.empty() ? "" : ", ") + std::string(p.name);
  }
  throw std::invalid_argument("partition: no policy is called \"" + std::string(name) + "\"; choose one of " + known);
}

std::string count_text(u64 n, const std::string& one, const std::string& more) {
  return std::to_string(n) + " " + (n == 1 ? one : more);
}

void check_ranks(const CutGraph& graph, u32 ranks) {
  if (ranks == 0) throw std::invalid_argument("partition: 0 ranks can hold nothing; ask for 1 or more");
  if (ranks <= graph.vertices()) return;
  const auto racks =
      static_cast<u32>(std::count_if(graph.place.begin(), graph.place.end(), [](const auto& p) { return p.rack; }));
  throw std::invalid_argument(
      "partition: " + count_text(ranks, "rank", "ranks") + " for " + count_text(racks, "rack", "racks") + " and " +
      count_text(graph.vertices() - racks, "other switch", "other switches") +
      ": a rack (its switch, its NICs and all that shares NVLink with them) is never split, so " +
      "some ranks would have nothing to do; ask for at most " + std::to_string(graph.vertices()));
}

/// Checks what every policy must ensure; a faulty one must not leave ranks waiting forever.
void check_result(const CutGraph& graph, std::string_view name, u32 ranks, const std::vector<u32>& rank_of_vertex) {
  std::vector<bool> used(ranks, false);
  for (const u32 r : rank_of_vertex) used.at(r) = true;
  if (rank_of_vertex.size() != graph.vertices() || std::count(used.begin(), used.end(), true) != ranks) {
    throw std::logic_error("partition: policy " + std::string(name) + " left a vertex or a rank out");
  }
}

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  names.reserve(kPolicies.size());
  for (const NamedPolicy& p : kPolicies) names.emplace_back(p.name);
  return names;
}

std::vector<u32> divide(const CutGraph& graph, std::string_view name, u32 ranks) {
  const CutPolicy policy = policy_called(name);
  check_ranks(graph, ranks);
  if (ranks == 1) return std::vector<u32>(graph.vertices(), 0);
  std::vector<u32> rank_of_vertex = policy(graph, ranks);
  check_result(graph, name, ranks, rank_of_vertex);
  return rank_of_vertex;
}

}  // namespace heddle
