#include "host/scenario/failures/route_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "host/base/error.hpp"
#include "host/scenario/failures/outages.hpp"
#include "host/scenario/topology/shortest_paths.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

/// The limit of tables, each of which takes a search over the whole fabric.
constexpr u64 kMaxTables = 10'000;

std::vector<Outages> outages_between_switches(const World& world, TimePs detect_ps, TimePs converge_ps) {
  std::vector<Outages> all;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const Link& link = world.fabric.links[l];
    if (link.reverse < l || link.src < world.fabric.endpoints || link.dst < world.fabric.endpoints) continue;
    Outages outages = outages_of(world, l, detect_ps, converge_ps);
    if (!outages.near.empty()) all.push_back(std::move(outages));
  }
  return all;
}

/// The distinct rows and sets of one table.
class RowPool {
 public:
  explicit RowPool(NextHopTable& table) : table_(table) {
    for (u32 s = 0; s < table.sets.size(); ++s) {
      const std::span<const u16> ports = table.ports_of(s);
      sets_.try_emplace({ports.begin(), ports.end()}, s);
    }
    for (u32 r = 0; r < table.rows(); ++r) rows_.emplace(hash_of(row(r)), r);
  }

  u32 set_of(const std::vector<u16>& ports) {
    if (ports.empty()) return kNone;
    const auto [entry, added] = sets_.try_emplace(ports, static_cast<u32>(table_.sets.size()));
    if (added) {
      table_.sets.push_back({static_cast<u32>(table_.ports.size()), static_cast<u32>(ports.size())});
      table_.ports.insert(table_.ports.end(), ports.begin(), ports.end());
    }
    return entry->second;
  }

  u32 row_of(const std::vector<u32>& sets) {
    const u64 hash = hash_of(sets);
    const auto [begin, end] = rows_.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
      if (std::ranges::equal(row(known->second), sets)) return known->second;
    }
    const u32 added = table_.rows();
    table_.set_of.insert(table_.set_of.end(), sets.begin(), sets.end());
    rows_.emplace(hash, added);
    return added;
  }

  /// Adds the rows of another table. Returns [switch] -> row of this pool.
  std::vector<u32> add(const NextHopTable& other) {
    std::vector<u32> sets, rows;
    for (u32 s = 0; s < other.sets.size(); ++s) {
      const std::span<const u16> ports = other.ports_of(s);
      sets.push_back(set_of({ports.begin(), ports.end()}));
    }
    for (u32 r = 0; r < other.rows(); ++r) {
      std::vector<u32> renamed;
      for (u32 g = 0; g < other.groups; ++g) {
        const u32 set = other.set_in_row(r, g);
        renamed.push_back(set == kNone ? kNone : sets[set]);
      }
      rows.push_back(row_of(renamed));
    }
    std::vector<u32> of_switch;
    for (const u32 r : other.row_of) of_switch.push_back(rows[r]);
    return of_switch;
  }

  /// The row `from` without these ports.
  u32 row_without(u32 from, const std::set<u32>& ports_out) {
    const std::vector<u32> before(row(from).begin(), row(from).end());
    std::vector<u32> sets;
    for (const u32 set : before) {
      std::vector<u16> left;
      for (const u16 port : table_.ports_of(set)) {
        if (!ports_out.contains(port)) left.push_back(port);
      }
      sets.push_back(set_of(left));
    }
    return row_of(sets);
  }

 private:
  std::span<const u32> row(u32 r) const {
    return std::span(table_.set_of).subspan(u64{r} * table_.groups, table_.groups);
  }
  static u64 hash_of(std::span<const u32> sets) {
    u64 h = 0;
    for (const u32 set : sets) h = absorb(h, set);
    return h;
  }

  NextHopTable& table_;
  std::map<std::vector<u16>, u32> sets_;
  std::unordered_multimap<u64, u32> rows_;
};

class RouteChanges {
 public:
  RouteChanges(World& world, std::vector<Outages> outages)
      : world_(world), outages_(std::move(outages)), pool_(world.routing.table) {
    versions_.emplace(std::vector<LinkId>{}, world.routing.table.row_of);
    for (const Outages& o : outages_) {
      for (const Interval& i : o.far) far_instants_.insert({i.from_ps, i.until_ps});
      for (const LinkId l : {o.link, world.fabric.links[o.link].reverse})
        at_switch_[world.fabric.links[l].src].push_back({&o, l});
    }
    far_instants_.erase(kNever);
  }

  void write() {
    for (const TimePs t : far_instants_) {
      rows_at_.emplace(t, &rows_without(t));
    }
    Routing& routing = world_.routing;
    routing.row_change_first.push_back(0);
    for (NodeId n = world_.fabric.endpoints; n < world_.fabric.nodes.size(); ++n) {
      add_changes_of(n);
      routing.row_change_first.push_back(static_cast<u32>(routing.row_changes.size()));
    }
  }

 private:
  struct Own {
    const Outages* outages;
    LinkId link;  // link from this switch
  };

  /// [switch] -> row, without the cables that are down elsewhere at `t`.
  const std::vector<u32>& rows_without(TimePs t) {
    std::vector<LinkId> out;
    for (const Outages& o : outages_) {
      if (covers(o.far, t)) out.push_back(o.link);
    }
    const auto known = versions_.find(out);
    if (known != versions_.end()) return known->second;
    if (versions_.size() >= kMaxTables) {
      throw ConfigError(fmt::format(
          "failures: routing would need more than {} tables, one for each set of cables that are out at once; give "
          "fewer failures, or fewer at a time",
          kMaxTables));
    }
    std::vector<bool> is_out(world_.fabric.links.size(), false);
    for (const LinkId l : out) is_out[l] = is_out[world_.fabric.links[l].reverse] = true;
    return versions_.emplace(out, pool_.add(next_hops_without(world_.fabric, world_.routing, is_out))).first->second;
  }

  void add_changes_of(NodeId n) {
    const std::vector<Own>& own = at_switch_[n];
    std::set<TimePs> instants = far_instants_;
    for (const Own& o : own) {
      for (const Interval& i : o.outages->near) instants.insert({i.from_ps, i.until_ps});
    }
    instants.erase(kNever);
    Routing& routing = world_.routing;
    u32 before = routing.row_of(n);
    for (const TimePs t : instants) {
      const auto after = rows_at_.upper_bound(t);
      const std::vector<u32>& rows = after == rows_at_.begin() ? routing.table.row_of : *std::prev(after)->second;
      u32 row = rows[n - world_.fabric.endpoints];
      std::set<u32> ports_out;
      for (const Own& o : own) {
        if (covers(o.outages->near, t)) ports_out.insert(world_.fabric.links[o.link].src_port);
      }
      if (!ports_out.empty()) row = pool_.row_without(row, ports_out);
      if (row == before) continue;
      routing.row_changes.push_back({t, row});
      before = row;
    }
  }

  World& world_;
  std::vector<Outages> outages_;
  RowPool pool_;
  std::map<std::vector<LinkId>, std::vector<u32>> versions_;  // cables that are down -> [switch] -> row
  std::set<TimePs> far_instants_;
  std::map<TimePs, const std::vector<u32>*> rows_at_;  // from when -> [switch] -> row, apart from a switch's own cables
  std::map<NodeId, std::vector<Own>> at_switch_;
};

}  // namespace

void add_route_changes(TimePs detect_ps, TimePs converge_ps, World& world) {
  std::vector<Outages> outages = outages_between_switches(world, detect_ps, converge_ps);
  if (!outages.empty() && !world.routing.paths_are_given()) RouteChanges(world, std::move(outages)).write();
}

}  // namespace heddle
