#include "kernels/backends/homes.hpp"

#include <algorithm>

namespace heddle {
namespace {

/// Item i of `count` in even shares.
u32 share_of(u32 i, u32 count, u32 workers) { return static_cast<u32>(u64{i} * workers / count); }

/// [workers + 1] where the shares begin; `home` ascends.
std::vector<u32> begins_of(const std::vector<u32>& home, u32 workers) {
  std::vector<u32> begins;
  for (u32 w = 0; w <= workers; ++w)
    begins.push_back(static_cast<u32>(std::lower_bound(home.begin(), home.end(), w) - home.begin()));
  return begins;
}

/// [switch] the worker of its first endpoint; kNone: it has none.
std::vector<u32> homes_by_endpoint(const Model& model, const std::vector<u32>& home_of_group) {
  const View& v = model.view;
  std::vector<u32> home(v.switches, kNone);
  for (u32 global = 0; global < model.local_endpoint.size(); ++global) {
    const u32 e = model.local_endpoint[global], node = v.attach_node[global];
    if (e == kNone || node == kNone) continue;
    home[node] = std::min(home[node], home_of_group[e / kEndpointsPerWord]);
  }
  return home;
}

}  // namespace

Homes homes_of(const Model& model, u32 workers) {
  const View& v = model.view;
  std::vector<u32> home_of_group;
  const u32 groups = (v.endpoints + kEndpointsPerWord - 1) / kEndpointsPerWord;
  for (u32 group = 0; group < groups; ++group) home_of_group.push_back(share_of(group, groups, workers));

  std::vector<u32> home = homes_by_endpoint(model, home_of_group);
  const u32 others = static_cast<u32>(std::count(home.begin(), home.end(), kNone));
  for (u32 node = 0, other = 0; node < v.switches; ++node)
    if (home[node] == kNone) home[node] = share_of(other++, others, workers);

  Homes homes;
  for (u32 node = 0; node < v.switches; ++node) homes.switches.push_back(node);
  std::stable_sort(homes.switches.begin(), homes.switches.end(), [&](u32 a, u32 b) { return home[a] < home[b]; });
  std::stable_sort(home.begin(), home.end());
  homes.first_switch = begins_of(home, workers);
  homes.first_group = begins_of(home_of_group, workers);
  return homes;
}

}  // namespace heddle
