// Reader of htsim's topologies.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "io/formats/htsim.hpp"
#include "io/formats/links.hpp"
#include "io/formats/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxRadix = 1u << 16;

/// What the file says of a tier: values by words, and where.
struct Tier {
  u32 line = 0;
  std::map<std::string_view, std::pair<u64, Field>> values;
};

class TopologyReader {
 public:
  explicit TopologyReader(const std::string& path) : file_(path) {}

  PlainTopology read() {
    read_lines();
    const u64 hosts = of_file("Nodes", 2), tiers = of_file("Tiers", 2);
    if (tiers > 3) file_.fail(fields_.at("Tiers"), "there are fat trees of 2 and 3 tiers of switches");
    if (tiers_.size() != tiers) {
      file_.fail(fields_.at("Tiers"), fmt::format("{} tiers are declared, but {} described", tiers, tiers_.size()));
    }
    const u64 pod = of_file("Podsize", 1);
    if (hosts % pod != 0 || (tiers == 2 && pod != hosts)) {
      file_.fail(fields_.at("Podsize"), fmt::format("{} nodes are not {} pods of {}", hosts,
                                                    tiers == 2 ? "one of two tiers, or" : "whole", pod));
    }
    build(hosts, hosts / pod, pod);
    return std::move(made_);
  }

 private:
  void read_lines() {
    Tier* tier = nullptr;
    while (!file_.at_end()) {
      const TextLine& line = file_.take("");
      if (line.text.starts_with('#')) continue;
      const Field& word = line.fields[0];
      file_.expect_fields(line, fmt::format("{} N", excerpt(word.text)), 2);
      if (word.text == "Tier") {
        const u64 number = file_.number(line.fields[1], "tier", 0, 2);
        if (number != tiers_.size())
          file_.fail(line.fields[1], fmt::format("tier {} should follow here; tiers come in order", tiers_.size()));
        tier = &tiers_.emplace_back();
        tier->line = line.number;
        continue;
      }
      check_word(word, tier != nullptr);
      const u64 value = file_.number(line.fields[1], word.text, 0, kMaxFileNodes);
      if (tier != nullptr) {
        if (!tier->values.try_emplace(word.text, value, line.fields[1]).second)
          file_.fail(word, fmt::format("{} is given twice for this tier", word.text));
      } else if (!fields_.try_emplace(word.text, line.fields[1]).second) {
        file_.fail(word, fmt::format("{} is given twice", word.text));
      } else {
        values_[word.text] = value;
      }
    }
  }

  void check_word(const Field& word, bool of_tier) const {
    constexpr std::string_view kOfFile[] = {"Nodes", "Tiers", "Podsize"};
    constexpr std::string_view kOfTier[] = {"Downlink_speed_Gbps", "Radix_Down",     "Radix_Up", "Downlink_Latency_ns",
                                            "Switch_Latency_ns",   "Oversubscribed", "Bundle"};
    const auto is_in = [&](const auto& words) { return std::ranges::find(words, word.text) != std::end(words); };
    if (of_tier ? is_in(kOfTier) : is_in(kOfFile)) return;
    if (word.text.starts_with("Queue_"))
      file_.fail(
          word, "sizes of queues are not read from here; set [buffer] and [class] in the configuration, and remove it");
    file_.fail(word, fmt::format("'{}' is unknown {}", excerpt(word.text),
                                 of_tier ? "in a tier: it has Downlink_speed_Gbps, Radix_Down, Radix_Up, "
                                           "Downlink_Latency_ns, Switch_Latency_ns, Oversubscribed and Bundle"
                                         : "before the first tier: there are Nodes, Tiers and Podsize"));
  }

  u64 of_file(std::string_view word, u64 least) const {
    const auto found = values_.find(word);
    if (found == values_.end()) file_.fail(1, 1, fmt::format("the file does not say '{} N'", word));
    if (found->second < least)
      file_.fail(fields_.at(word), fmt::format("{} is {}; give at least {}", word, found->second, least));
    return found->second;
  }

  u64 of_tier(size_t tier, std::string_view word, u64 least, u64 most) const {
    const auto found = tiers_[tier].values.find(word);
    if (found == tiers_[tier].values.end()) {
      file_.fail(tiers_[tier].line, 1, fmt::format("tier {} has no {}", tier, word));
    }
    const auto& [value, where] = found->second;
    if (value < least || value > most)
      file_.fail(where, fmt::format("{} is {}, outside the range {} to {}", word, value, least, most));
    return value;
  }
  u64 radix(size_t tier, std::string_view word) const { return of_tier(tier, word, 1, kMaxRadix); }

  /// Refuses a tier of which the numbers do not fit each other.
  void check(size_t tier, bool fits, std::string_view problem) const {
    if (!fits) file_.fail(tiers_[tier].line, 1, fmt::format("tier {}: {}", tier, problem));
  }

  void check_tier(size_t tier) const {
    const auto& values = tiers_[tier].values;
    if (const auto latency = values.find("Switch_Latency_ns"); latency != values.end() && latency->second.first != 0) {
      file_.fail(latency->second.second,
                 "switches of imported topologies take no time of their own; add it to Downlink_Latency_ns, half of it "
                 "to that of either side");
    }
    const bool top = tier + 1 == tiers_.size();
    if (top && values.contains("Radix_Up"))
      file_.fail(values.at("Radix_Up").second, "the last tier has no links upwards; remove it");
    if (!top) check_oversubscription(tier);
  }

  /// htsim counts a tier's uplinks by this word, which is 1 where it is missing, and not by Radix_Up.
  void check_oversubscription(size_t tier) const {
    const auto found = tiers_[tier].values.find("Oversubscribed");
    const bool is_said = found != tiers_[tier].values.end();
    const u64 times = is_said ? found->second.first : 1;
    const u64 down = radix(tier, "Radix_Down") * of_tier(tier, "Downlink_speed_Gbps", 1, 10'000);
    const u64 up = radix(tier, "Radix_Up") * of_tier(tier + 1, "Downlink_speed_Gbps", 1, 10'000);
    if (down == times * up) return;
    if (is_said) {
      file_.fail(found->second.second,
                 fmt::format("the tier is said to be oversubscribed {} times, but has {} Gb/s down and {} Gb/s up",
                             times, down, up));
    }
    check(tier, false,
          fmt::format("it has {} Gb/s down and {} Gb/s up, but no Oversubscribed, which is 1 in htsim; say what it is",
                      down, up));
  }

  void check_bundle(size_t tier, u64 links) const {
    const auto found = tiers_[tier].values.find("Bundle");
    const u64 bundle = found == tiers_[tier].values.end() ? 1 : found->second.first;
    if (bundle != links)
      check(tier, false,
            fmt::format("its radixes make bundles of {} links to each switch below, but Bundle is {}", links, bundle));
  }

  /// Hosts come first, then the switches, tier by tier and pod by pod.
  void build(u64 hosts, u64 pods, u64 pod) {
    for (size_t tier = 0; tier < tiers_.size(); ++tier) check_tier(tier);
    const u64 below_tor = radix(0, "Radix_Down");
    check(0, pod % below_tor == 0, fmt::format("Radix_Down is {}, which does not divide a pod of {}", below_tor, pod));
    const u64 tors = pod / below_tor, tor_up = radix(0, "Radix_Up"), agg_down = radix(1, "Radix_Down");
    check(1, tors * tor_up % agg_down == 0 && agg_down % tors == 0 && tor_up % (agg_down / tors) == 0,
          fmt::format("Radix_Down is {}, which cannot take {} links of each of {} switches below", agg_down, tor_up,
                      tors));
    const u64 aggs = tors * tor_up / agg_down, agg_links = agg_down / tors;
    check_bundle(1, agg_links);
    const u64 first_tor = hosts, first_agg = first_tor + pods * tors, first_core = first_agg + pods * aggs;
    for (u64 h = 0; h < hosts; ++h) add_links(0, h, first_tor + h / below_tor, 1);
    for (u64 t = 0; t < pods * tors; ++t) {
      for (u64 a = 0; a < aggs; ++a) add_links(1, first_tor + t, first_agg + t / tors * aggs + a, agg_links);
    }
    u64 nodes = first_core;
    if (tiers_.size() == 3) {
      const u64 agg_up = radix(1, "Radix_Up"), core_down = radix(2, "Radix_Down"), links = core_down / pods;
      check(2, core_down % pods == 0 && agg_up % links == 0,
            fmt::format("Radix_Down is {}, which cannot take {} links of a switch in each of {} pods", core_down,
                        agg_up, pods));
      check_bundle(2, links);
      for (u64 a = 0; a < pods * aggs; ++a) {
        for (u64 k = 0; k < agg_up / links; ++k) add_links(2, first_agg + a, first_core + a % aggs + aggs * k, links);
      }
      nodes += aggs * (agg_up / links);
    }
    made_.nodes = static_cast<u32>(nodes);
    for (u64 n = hosts; n < nodes; ++n) made_.switches.push_back(static_cast<u32>(n));
  }

  void add_links(size_t tier, u64 low, u64 high, u64 count) {
    PlainLink link;
    link.a = static_cast<u32>(low);
    link.b = static_cast<u32>(high);
    link.bits_per_s = of_tier(tier, "Downlink_speed_Gbps", 1, 10'000) * 1'000'000'000;
    link.latency_ps = static_cast<i64>(of_tier(tier, "Downlink_Latency_ns", 0, kMaxFileNodes) * 1000);
    link.line = tiers_[tier].line;
    made_.links.insert(made_.links.end(), count, link);
    if (made_.links.size() > kMaxFileLinks)
      file_.fail(tiers_[tier].line, 1, fmt::format("there would be more than {} links", kMaxFileLinks));
  }

  TextFile file_;
  std::map<std::string_view, Field> fields_;
  std::map<std::string_view, u64> values_;
  std::vector<Tier> tiers_;
  PlainTopology made_;
};

}  // namespace

PlainTopology read_htsim_topology(const std::string& path) { return TopologyReader(path).read(); }

}  // namespace heddle
