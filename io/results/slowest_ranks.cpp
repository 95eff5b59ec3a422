#include "io/results/slowest_ranks.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

constexpr u64 kMostEvents = u64{1} << 26;  // 2 GB as columns

struct Slowest {
  CollectiveRow* of = nullptr;
  i64 time_ps = -1;  // of its event; where packets are coarse, those of the table have been moved
};

/// Of collectives that some rank has finished later than another, by id.
std::unordered_map<i64, Slowest> uneven(std::vector<CollectiveRow>& collectives) {
  std::unordered_map<i64, Slowest> by_id;
  for (CollectiveRow& c : collectives) {
    if (c.finish_ps >= 0 && c.finish_ps > c.first_rank_ps) by_id[c.id] = {&c};
  }
  return by_id;
}

}  // namespace

void find_slowest_ranks(const InputFile& file, std::vector<CollectiveRow>& collectives) {
  std::unordered_map<i64, Slowest> by_id = uneven(collectives);
  if (by_id.empty() || file.rows("/event/completion/time_ps") > kMostEvents) return;
  const auto column = [&](const char* name) { return file.signed_numbers(std::string("/event/completion/") + name); };
  const std::vector<i64> time_ps = column("time_ps"), kind = column("kind"), id = column("id"), rank = column("rank"),
                         node = column("node");
  const std::vector<std::string> names = file.texts("/topology/node/name");
  const size_t rows = std::min({time_ps.size(), kind.size(), id.size(), rank.size(), node.size()});
  for (size_t i = 0; i < rows; ++i) {
    if (kind[i] != static_cast<i64>(EventKind::rank_finished)) continue;
    const auto found = by_id.find(id[i]);
    if (found == by_id.end()) continue;
    auto& [of, latest_ps] = found->second;
    CollectiveRow& c = *of;
    if (time_ps[i] < latest_ps || (time_ps[i] == latest_ps && c.slowest_rank <= rank[i])) continue;
    latest_ps = time_ps[i];
    c.slowest_rank = rank[i];
    c.slowest_gpu = static_cast<size_t>(node[i]) < names.size() ? names[static_cast<size_t>(node[i])] : "";
  }
}

}  // namespace heddle
