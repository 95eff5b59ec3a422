// A summary of a run's links: per kind, and the most loaded links by name.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/results/balance.hpp"
#include "io/results/routed_flows.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Names and rates of all links, from a Fabric or a result file.
struct LinkNames {
  std::vector<std::string> node_names;
  std::vector<Tier> node_tiers;
  std::map<u64, std::string> tier_names;          // of the tiers that occur, by number
  std::vector<u32> src, dst, src_port, dst_port;  // by link
  std::vector<u64> bits_per_s;                    // mean_bits_per_s()
};

/// `end_ps`: of the run.
LinkNames link_names(const World& world, TimePs end_ps);

/// The links from one tier to another; where NICs have several ports, those of one port each, so that planes compare.
struct LinkKindKey {
  Tier src = Tier::endpoint, dst = Tier::endpoint;
  std::optional<u32> nic_port;
  auto operator<=>(const LinkKindKey&) const = default;
};
using LinksByKind = std::map<LinkKindKey, std::vector<u32>>;
LinksByKind links_by_kind(const LinkNames& names, std::size_t links);
/// "rtsw>ctsw", "endpoint.1>leaf"
std::string kind_name(const LinkNames& names, const LinkKindKey& key);

/// One link, named "rtsw3 port 17 -> ctsw5", or "gpu12 -> rtsw0" where NICs have one port.
struct HotLink {
  std::string name;
  double use = 0;  // share of the run's time in which it sent, at most 1; meaningless when that time is unknown
  LinkOutcome counted;
};

/// All links from one tier to another.
struct LinkKind {
  std::string name;  // "rtsw>ctsw"
  u32 links = 0;
  double mean_use = 0, max_use = 0;  // as HotLink::use; the mean of all links
  LinkOutcome sum;                   // but the longest queue of one link, and when
  u64 max_paused_ps = 0;             // of one link

  bool between_switches = false;                    // whether routing decides the load
  LinkBalance balance;                              // of bytes sent; loads: shares of the run's time, as HotLink::use
  std::optional<double> busiest_over_mean_in_time;  // BalanceInTime; empty without /series/link
  double mean_qps = 0, mean_messages = 0;  // mean over links of RoutedFlows; valid where LinkSummary::flows_known
  u64 max_qps = 0, max_messages = 0;

  /// Whether there is something to compare.
  bool balance_matters() const { return between_switches && links > 1 && balance.jain_index > 0; }
};

struct LinkSummary {
  bool use_known = false;    // the run has an end that utilisation can be related to
  bool flows_known = false;  // whether RoutedFlows of its links are known
  std::vector<LinkKind> kinds;
  std::vector<HotLink> busiest, longest_paused, longest_queues;  // at most kHotLinks each; none that is 0

  bool empty() const { return kinds.empty(); }  // true for a run that has not ended
};
inline constexpr std::size_t kHotLinks = 10;

/// Between equal links the lower id comes first. `end_ps` is the run's last completion. Utilisation is unknown in a run
/// that `stalled`, and where a link has sent more than it could until then. `routed` is by link; empty when unknown.
/// empty: not known.
LinkSummary summarize_links(const LinkNames& names, std::span<const LinkOutcome> links, TimePs end_ps, bool stalled,
                            std::span<const RoutedFlows> routed = {});

/// Returns the three lines that `heddle run` prints; "" when no link sent, paused or queued.
std::string hottest_links(const LinkSummary& links);

/// Returns tables for `heddle info`: two per kind of link, and the hot spots side by side. "" for an empty summary.
std::string describe_links(const LinkSummary& links);

}  // namespace heddle
