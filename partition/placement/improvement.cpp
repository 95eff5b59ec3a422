#include "partition/placement/improvement.hpp"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

constexpr u64 kMaxLooks = u64{1} << 27;  // visits of edges

/// A division while it is improved: parts and their vertices.
class Improver {
 public:
  Improver(const ServerGraph& graph, std::span<const u32> room, std::vector<u32>& part)
      : graph_(graph),
        edges_(graph.edges),
        room_(room),
        part_(part),
        members_(room.size()),
        at_(part.size()),
        weight_to_(part.size()) {
    for (u32 v = 0; v < part_.size(); ++v) enter(v, part_[v]);
  }

  /// Moves vertices out of parts that exceed their room.
  void fit() {
    for (u32 from = 0; from < room_.size(); ++from) {
      if (members_[from].size() <= room_[from]) continue;
      std::vector<std::pair<i64, u32>> by_loss;
      for (const u32 v : members_[from]) by_loss.emplace_back(-best_move(v).gain, v);
      std::sort(by_loss.begin(), by_loss.end());
      by_loss.resize(members_[from].size() - room_[from]);
      for (const auto& [loss, v] : by_loss) move(v, best_move(v).to);  // an earlier one may have taken room
    }
  }

  /// One pass over all vertices; returns whether the division got better.
  bool pass() {
    bool better = false;
    for (u32 v = 0; v < part_.size() && looks_ < kMaxLooks; ++v) better = improve(v) || better;
    return better && looks_ < kMaxLooks;
  }

 private:
  struct Change {
    i64 gain = 0;
    u32 to = kNone, other = kNone;  // exchanged with `other`; kNone: only moved
  };

  void enter(u32 v, u32 p) {
    part_[v] = p;
    at_[v] = static_cast<u32>(members_[p].size());
    members_[p].push_back(v);
  }
  void move(u32 v, u32 to) {
    std::vector<u32>& from = members_[part_[v]];
    at_[from.back()] = at_[v];
    from[at_[v]] = from.back();
    from.pop_back();
    enter(v, to);
  }
  void exchange(u32 u, u32 v) {
    std::swap(members_[part_[u]][at_[u]], members_[part_[v]][at_[v]]);
    std::swap(part_[u], part_[v]);
    std::swap(at_[u], at_[v]);
  }
  i64 size(u32 p) const { return static_cast<i64>(members_[p].size()); }

  template <class F>
  void for_neighbours(u32 v, const F& f) {
    looks_ += edges_.first[v + 1] - edges_.first[v] + 1;
    for (u32 k = edges_.first[v]; k < edges_.first[v + 1]; ++k)
      f(edges_.neighbour[k], static_cast<i64>(edges_.edge_weight[k]));
  }
  /// How much more weight v has to part `to` than to its own.
  i64 pull(u32 v, u32 to) {
    i64 sum = 0;
    for_neighbours(v, [&](u32 n, i64 w) { sum += part_[n] == to ? w : part_[n] == part_[v] ? -w : 0; });
    return sum;
  }
  /// The gain of a move. Of the weight between every two servers, a move cuts more as the parts become more alike.
  i64 move_gain(u32 v, u32 to) {
    return pull(v, to) + static_cast<i64>(graph_.each_pair) * (size(to) + 1 - size(part_[v]));
  }

  /// The best move to a part with room: one that v has weight to, or the first one.
  Change best_move(u32 v) {
    std::vector<u32> parts = parts_around(v);
    for (u32 p = 0; p < room_.size(); ++p) {
      if (members_[p].size() >= room_[p]) continue;
      parts.push_back(p);
      break;
    }
    Change best;
    for (const u32 p : parts) {
      if (members_[p].size() >= room_[p]) continue;
      if (const i64 gain = move_gain(v, p); best.to == kNone || gain > best.gain) best = {gain, p, kNone};
    }
    return best;
  }

  /// The other parts that v's neighbours are in.
  std::vector<u32> parts_around(u32 v) {
    std::vector<u32> parts;
    for_neighbours(v, [&](u32 n, i64) {
      if (part_[n] != part_[v]) parts.push_back(part_[n]);
    });
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
  }

  /// One of two exchanged vertices has more weight to the other's part than to its own: so only parts of v's neighbours
  /// are checked, and only those with a positive pull.
  bool improve(u32 v) {
    for_neighbours(v, [&](u32 n, i64 w) { weight_to_[n] = w; });
    Change best;
    for (const u32 p : parts_around(v)) consider(v, p, best);
    for_neighbours(v, [&](u32 n, i64) { weight_to_[n] = 0; });
    if (best.gain <= 0) return false;
    best.other == kNone ? move(v, best.to) : exchange(v, best.other);
    return true;
  }
  void consider(u32 v, u32 to, Change& best) {
    const i64 pulled = pull(v, to);
    if (members_[to].size() < room_[to]) {
      if (const i64 gain = move_gain(v, to); gain > best.gain) best = {gain, to, kNone};
    }
    if (pulled <= 0) return;
    for (const u32 other : members_[to]) {
      const i64 gain = pulled + pull(other, part_[v]) - 2 * weight_to_[other];
      if (gain > best.gain) best = {gain, to, other};
    }
  }

  const ServerGraph& graph_;
  const CutGraph& edges_;
  std::span<const u32> room_;
  std::vector<u32>& part_;
  std::vector<std::vector<u32>> members_;  // [part]
  std::vector<u32> at_;                    // [vertex] index in its part's list
  std::vector<i64> weight_to_;             // [vertex] weight to the vertex being checked
  u64 looks_ = 0;
};

}  // namespace

void make_fit(const ServerGraph& graph, std::span<const u32> room, std::vector<u32>& part_of_vertex) {
  Improver(graph, room, part_of_vertex).fit();
}

void improve(const ServerGraph& graph, std::span<const u32> room, std::vector<u32>& part_of_vertex) {
  Improver improver(graph, room, part_of_vertex);
  while (improver.pass()) {
  }
}

}  // namespace heddle
