#include "host/check/cut_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/quantity_text.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "kernels/outcome/failed_qp.hpp"
#include "partition/cut/expected_packets.hpp"

namespace heddle {
namespace {

constexpr size_t kMaxPairs = 8;  // lines; the other pairs are summed up

double packets_of(u64 parts) { return static_cast<double>(parts) / static_cast<double>(kPacketParts); }

std::string exchange_text(const World& world, const Cut& cut) {
  const ExchangePeriod& e = cut.exchange;
  if (cut.cut_links == 0) return "exchange   none: no link is cut\n";
  const std::string bound = e.link == kNone ? fmt::format("the {} epochs of {} from a failed queue pair to the end",
                                                          kFailureEpochs - 1, time_text(world.clocks.epoch_ps))
                                            : fmt::format("the {} latency of {}, {}", e.pause ? "pause" : "packet",
                                                          time_text(e.latency_ps), link_name(world.fabric, e.link));
  const double ticks = static_cast<double>(e.period_ps) / static_cast<double>(world.clocks.tick_ps);
  return fmt::format("exchange   every {}, {:.4g} ticks of {}{}; at most half of {}\n", time_text(e.period_ps), ticks,
                     time_text(world.clocks.tick_ps), ticks < 1 ? " (so ranks divide every tick)" : "", bound);
}

std::string rank_table(const Cut& cut) {
  u64 all = 0;
  for (const RankLoad& l : cut.load) all += l.work_parts;
  std::string text = fmt::format("\n{:>6} {:>10} {:>10} {:>14} {:>8} {:>12}\n", "rank", "endpoints", "switches",
                                 "packet-hops", "of mean", "cut links");
  for (size_t r = 0; r < cut.load.size(); ++r) {
    const RankLoad& l = cut.load[r];
    const double of_mean = static_cast<double>(l.work_parts) * cut.ranks / static_cast<double>(std::max<u64>(all, 1));
    text += fmt::format("{:>6} {:>10} {:>10} {:>14.4g} {:>8.3f} {:>12}\n", r, l.endpoints, l.nodes - l.endpoints,
                        packets_of(l.work_parts), of_mean, l.cut_links);
  }
  return text;
}

std::string pair_table(const Cut& cut) {
  if (cut.pairs.empty()) return "";
  std::vector<RankPair> pairs = cut.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const RankPair& x, const RankPair& y) { return x.packet_parts > y.packet_parts; });
  std::string text = fmt::format("\n{:>13} {:>10} {:>14}\n", "between ranks", "links", "packets");
  for (size_t i = 0; i < std::min(pairs.size(), kMaxPairs); ++i) {
    const std::string name = fmt::format("{} - {}", pairs[i].a, pairs[i].b);
    text += fmt::format("{:>13} {:>10} {:>14.4g}\n", name, pairs[i].links, packets_of(pairs[i].packet_parts));
  }
  if (pairs.size() <= kMaxPairs) return text;
  u64 links = 0, parts = 0;
  for (size_t i = kMaxPairs; i < pairs.size(); ++i) links += pairs[i].links, parts += pairs[i].packet_parts;
  return text + fmt::format("{:>13} {:>10} {:>14.4g}\n", fmt::format("{} more", pairs.size() - kMaxPairs), links,
                            packets_of(parts));
}

}  // namespace

std::string cut_text(const World& world, const Cut& cut) {
  std::string text = fmt::format("\nranks      {} by {}, of {} racks and other switches that stay whole\n", cut.ranks,
                                 cut.policy, cut.vertices);
  text += fmt::format("balance    {:.3f} (most expected work of a rank over the mean)\n", cut.balance());
  text += fmt::format("cut        {} of {} directed links; {:.2f} % of packet-hops go over them\n", cut.cut_links,
                      world.fabric.links.size(), 100 * cut.cut_share());
  text += exchange_text(world, cut);
  if (cut.uniform) {
    text += "weights    uniform: the workload is less than one packet per link, so every link counts as equally busy\n";
  }
  return text + rank_table(cut) + pair_table(cut);
}

}  // namespace heddle
