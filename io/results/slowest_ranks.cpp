#include "io/results/slowest_ranks.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxEvents = u64{1} << 26;  // 2 GB as columns

/// Returns the collectives that some rank finished later than another, by id.
std::unordered_map<i64, CollectiveRow*> uneven(std::vector<CollectiveRow>& collectives) {
  std::unordered_map<i64, CollectiveRow*> by_id;
  for (CollectiveRow& c : collectives) {
    if (c.finish_ps >= 0 && c.finish_ps > c.first_rank_ps) by_id[c.id] = &c;
  }
  return by_id;
}

}  // namespace

void find_slowest_ranks(const InputFile& file, std::vector<CollectiveRow>& collectives) {
  const std::unordered_map<i64, CollectiveRow*> by_id = uneven(collectives);
  if (by_id.empty() || file.rows("/event/completion/time_ps") > kMaxEvents) return;
  const auto column = [&](const char* name) { return file.signed_numbers(std::string("/event/completion/") + name); };
  const std::vector<i64> time_ps = column("time_ps"), kind = column("kind"), id = column("id"), rank = column("rank"),
                         node = column("node");
  const std::vector<std::string> names = file.texts("/topology/node/name");
  const size_t rows = std::min({time_ps.size(), kind.size(), id.size(), rank.size(), node.size()});
  for (size_t i = 0; i < rows; ++i) {
    if (kind[i] != static_cast<i64>(EventKind::rank_finished)) continue;
    const auto found = by_id.find(id[i]);
    if (found == by_id.end() || time_ps[i] != found->second->finish_ps) continue;
    CollectiveRow& c = *found->second;
    if (c.slowest_rank >= 0 && c.slowest_rank <= rank[i]) continue;
    c.slowest_rank = rank[i];
    c.slowest_gpu = static_cast<size_t>(node[i]) < names.size() ? names[static_cast<size_t>(node[i])] : "";
  }
}

}  // namespace heddle
