#include "kernels/backends/tick_groups.hpp"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

/// Disjoint sets of nodes; one node of a set names it.
class Sets {
 public:
  explicit Sets(u32 nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0); }

  u32 find(u32 node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void unite(u32 a, u32 b) { parent_[find(a)] = find(b); }

  /// Sizes of the sets, indexed by the node that names a set.
  std::vector<u32> sizes() {
    std::vector<u32> size(parent_.size());
    for (u32 node = 0; node < parent_.size(); ++node) ++size[find(node)];
    return size;
  }
  u32 largest() {
    const std::vector<u32> size = sizes();
    return size.empty() ? 0 : *std::max_element(size.begin(), size.end());
  }

 private:
  std::vector<u32> parent_;
};

/// Calls f(link, node, other) for the cables of switches within this part.
template <class F>
void for_cables(const View& v, const F& f) {
  for (u32 node = 0; node < v.switches; ++node) {
    for (u32 link = v.first_link[node]; link < v.first_link[node + 1]; ++link) {
      const u32 other = v.egress[link].dst_node;
      if (other < v.nodes) f(link, node, other);
    }
  }
}

/// Least time between a cause at one end of a cable and its effect on the node at the other end.
TimePs min_latency_ps(const View& v, u32 link) {
  const TimePs lambda_ps = v.egress[link].lambda_ps, phi_ps = v.ingress[link].phi_ps;
  return v.ingress[link].profile == kNone ? lambda_ps : std::min(lambda_ps, phi_ps);
}

/// Sets of the endpoints that share a word of updates, because a word belongs to one worker.
Sets words_of_endpoints(const View& v) {
  Sets sets(v.nodes);
  for (u32 e = 0; e < v.endpoints; ++e)
    sets.unite(v.switches + e, v.switches + e / kEndpointsPerWord * kEndpointsPerWord);
  return sets;
}

/// These sets, merged where nodes must receive updates of each other in every tick.
Sets neighbourhoods(const View& v, TimePs tick_ps) {
  Sets sets = words_of_endpoints(v);
  const Collectives& k = v.collective;
  for (u32 e = 0; v.settings.any_nvlink && e < v.endpoints; ++e) {
    for (u32 i = k.first_incoming[e]; i < k.first_incoming[e + 1]; ++i)
      sets.unite(v.switches + e, v.switches + k.nvlink[k.incoming[i]].src);
  }
  const Programs& p = k.programs;
  for (u32 e = 0; v.settings.any_batches && e < v.endpoints; ++e) {
    for (u32 c = p.first_client[e]; c < p.first_client[e + 1]; ++c)
      sets.unite(v.switches + e, v.switches + p.client[c] / kBatchSeries);
  }
  for_cables(v, [&](u32 link, u32 node, u32 other) {
    if (other >= v.switches || min_latency_ps(v, link) < 2 * tick_ps) sets.unite(node, other);
  });
  return sets;
}

/// Least number of ticks between a cause in one of the sets and its effect in another.
u32 ticks_between(const View& v, Sets& sets, TimePs tick_ps, u32 max_ticks) {
  TimePs ticks = std::min(max_ticks, kMaxBatchTicks);
  for_cables(v, [&](u32 link, u32 node, u32 other) {
    if (sets.find(node) != sets.find(other)) ticks = std::min(ticks, min_latency_ps(v, link) / tick_ps);
  });
  return static_cast<u32>(ticks);
}

u32 words_of(const View& v) { return (v.endpoints + kEndpointsPerWord - 1) / kEndpointsPerWord; }

/// Lists members by tick group. `of(member)` is the member's group, kNone for no group.
template <class Of>
void list_by_group(u32 members, u32 groups, const Of& of, std::vector<u32>& list, std::vector<u32>& first) {
  list.clear();
  for (u32 i = 0; i < members; ++i)
    if (of(i) != kNone) list.push_back(i);
  std::stable_sort(list.begin(), list.end(), [&](u32 a, u32 b) { return of(a) < of(b); });
  first.assign(groups + 1, 0);
  for (const u32 i : list) ++first[of(i) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
}

/// Tick groups: first the sets with endpoints, in endpoint order, then those of several switches.
void make_tick_groups(const View& v, Sets& sets, TickGroups& c) {
  std::vector<u32> number(v.nodes, kNone);  // [node that names a set]
  u32 count = 0;
  for (u32 word = 0; word < words_of(v); ++word) {
    u32& i = number[sets.find(v.switches + word * kEndpointsPerWord)];
    if (i == kNone) i = count++;
  }
  const std::vector<u32> size = sets.sizes();
  for (u32 node = 0; node < v.switches; ++node) {
    u32& i = number[sets.find(node)];
    if (i == kNone && size[sets.find(node)] > 1) i = count++;
  }
  const auto of_switch = [&](u32 node) { return number[sets.find(node)]; };
  const auto of_word = [&](u32 word) { return number[sets.find(v.switches + word * kEndpointsPerWord)]; };
  list_by_group(v.switches, count, of_switch, c.switches, c.first_switch);
  list_by_group(words_of(v), count, of_word, c.words, c.first_word);
}

std::vector<u64> ports_within(const View& v, Sets& sets) {
  std::vector<u64> near(v.first_port_word[v.switches] + 1);  // at least one element, so that data() is not null
  for_cables(v, [&](u32 link, u32 node, u32 other) {
    const u32 port = link - v.first_link[node];
    if (sets.find(node) == sets.find(other)) near[v.first_port_word[node] + port / 64] |= u64{1} << (port % 64);
  });
  return near;
}

/// The worker that takes item i of `count` in even shares.
u32 share_of(u32 i, u32 count, u32 workers) { return static_cast<u32>(u64{i} * workers / count); }

/// [workers + 1] the first item of each worker; `home` ascends.
std::vector<u32> begins_of(const std::vector<u32>& home, u32 workers) {
  std::vector<u32> begins;
  for (u32 w = 0; w <= workers; ++w)
    begins.push_back(static_cast<u32>(std::lower_bound(home.begin(), home.end(), w) - home.begin()));
  return begins;
}

/// [endpoint] the worker of the endpoint's group.
std::vector<u32> homes_of_endpoints(const View& v, const TickGroups& c, const std::vector<u32>& home_of_group) {
  std::vector<u32> home(words_of(v) * kEndpointsPerWord);
  for (u32 i = 0; i < c.count(); ++i) {
    for (const u32 word : c[i].words)
      std::fill_n(home.begin() + word * kEndpointsPerWord, kEndpointsPerWord, home_of_group[i]);
  }
  return home;
}

/// [switch] the worker of its first endpoint; switches without endpoints are shared evenly.
std::vector<u32> homes_of_switches(const View& v, const std::vector<u32>& home_of_endpoint,
                                   const std::vector<bool>& grouped, u32 workers) {
  std::vector<u32> home(v.switches, kNone);
  for_cables(v, [&](u32, u32 node, u32 other) {
    if (other >= v.switches) home[node] = std::min(home[node], home_of_endpoint[other - v.switches]);
  });
  u32 others = 0, other = 0;
  for (u32 node = 0; node < v.switches; ++node) others += home[node] == kNone && !grouped[node];
  for (u32 node = 0; node < v.switches; ++node)
    if (home[node] == kNone && !grouped[node]) home[node] = share_of(other++, others, workers);
  return home;
}

void share_among(u32 workers, const View& v, TickGroups& c) {
  std::vector<u32> home_of_group;
  for (u32 i = 0; i < c.count(); ++i) home_of_group.push_back(share_of(i, c.count(), workers));
  c.first_group_of_worker = begins_of(home_of_group, workers);

  std::vector<bool> grouped(v.switches, false);
  for (const u32 node : c.switches) grouped[node] = true;
  const std::vector<u32> home = homes_of_switches(v, homes_of_endpoints(v, c, home_of_group), grouped, workers);
  for (u32 node = 0; node < v.switches; ++node)
    if (!grouped[node]) c.alone.push_back(node);
  std::stable_sort(c.alone.begin(), c.alone.end(), [&](u32 a, u32 b) { return home[a] < home[b]; });
  std::vector<u32> ascending;
  for (const u32 node : c.alone) ascending.push_back(home[node]);
  c.first_alone = begins_of(ascending, workers);
}

}  // namespace

TickGroups tick_groups_of(const Model& model, const EngineOptions& options, TimePs tick_ps) {
  const View& v = model.view;
  const u32 workers = std::max(1u, options.threads);
  TickGroups c;
  Sets sets = neighbourhoods(v, tick_ps);
  make_tick_groups(v, sets, c);
  const bool enough = workers == 1 || c.count() >= 2 * workers || options.sharing_from_nodes == 0;
  if (options.max_batch_ticks > 1 && enough && sets.largest() <= kMaxTickGroupNodes) {
    c.batch_ticks = ticks_between(v, sets, tick_ps, options.max_batch_ticks);
    c.near_ports = ports_within(v, sets);
  } else {
    sets = words_of_endpoints(v);
    make_tick_groups(v, sets, c);
  }
  share_among(workers, v, c);
  return c;
}

}  // namespace heddle
