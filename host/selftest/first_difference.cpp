#include "host/selftest/first_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "io/results/layout.hpp"
#include "kernels/outcome/events.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

constexpr u32 kMaxPerTable = 3;  // lines

std::string link_text(const World& world, LinkId l) {
  const auto& link = world.fabric.links[l];
  return fmt::format("link {} -> {}", world.fabric.names[link.src], world.fabric.names[link.dst]);
}

/// The differences, some lines for every table.
class Lines {
 public:
  template <class T>
  void compare(const std::string& table, const std::string& what, const T& expected, const T& found) {
    if (expected == found) return;
    const u32 said = ++said_[table];
    if (said <= kMaxPerTable) text_ += fmt::format("    {}: {}: {}, not {}\n", table, what, found, expected);
    if (said == kMaxPerTable + 1) text_ += fmt::format("    {}: and more\n", table);
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, u32> said_;
  std::string text_;
};

void compare_totals(const Totals& expected, const Totals& found, Lines& lines) {
  for_each_total_of_two(expected, found, [&](const char* name, u64 a, u64 b) { lines.compare("totals", name, a, b); });
}

void compare_links(const World& world, const Engine& expected, const Engine& found, Lines& lines) {
  std::vector<LinkCounters> a(world.fabric.links.size()), b(a.size());
  expected.link_counters(a);
  found.link_counters(b);
  for (LinkId l = 0; l < a.size(); ++l) {
    if (a[l] == b[l]) continue;
    const std::string link = link_text(world, l);
    lines.compare("links", link + " sent_bytes", a[l].sent_bytes, b[l].sent_bytes);
    lines.compare("links", link + " queue_bytes", a[l].queue_bytes, b[l].queue_bytes);
    lines.compare("links", link + " paused_ps", a[l].paused_ps, b[l].paused_ps);
    lines.compare("links", link + " ecn_marks", a[l].ecn_marks, b[l].ecn_marks);
    lines.compare("links", link + " drops", a[l].drops, b[l].drops);
  }
}

void compare_received(const World& world, const Engine& expected, const Engine& found, Lines& lines) {
  using Sums = std::map<std::pair<EndpointId, EndpointId>, u64>;
  const auto sums_of = [](const Engine& engine) {
    Sums sums;
    engine.visit_received([&](EndpointId src, EndpointId dst, u32, u32 packets) { sums[{src, dst}] += packets; });
    return sums;
  };
  Sums a = sums_of(expected), b = sums_of(found);
  for (const auto& [pair, packets] : b) a.try_emplace(pair, 0);
  for (const auto& [pair, packets] : a) {
    const std::string names = world.fabric.names[pair.first] + " -> " + world.fabric.names[pair.second];
    lines.compare("received packets", names, packets, b[pair]);
  }
}

using Records = std::map<u64, std::vector<u64>>;

/// The records by head. A run that has used up its memory has none.
Records records_of(const Engine& engine) {
  Records records;
  if (engine.exhausted()) return records;
  engine.save([&](std::span<const u64> words) {
    for (std::size_t at = 0; at < words.size(); at += kStateRecordHead + words[at + 1]) {
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(at + kStateRecordHead);
      records[words[at]].assign(first, first + static_cast<std::ptrdiff_t>(words[at + 1]));
    }
  });
  return records;
}

std::string record_text(const World& world, u64 head) {
  switch (kind_of(head)) {
    case StateRecord::node:
      return "node " + world.fabric.names[id_of(head)];
    case StateRecord::wire:
      return "packets on " + link_text(world, static_cast<LinkId>(id_of(head)));
    case StateRecord::sums:
      return "sums";
    case StateRecord::warned:
      return "warnings";
  }
  return fmt::format("record {:x}", head);
}

void compare_records(const World& world, const Engine& expected, const Engine& found, Lines& lines) {
  Records a = records_of(expected), b = records_of(found);
  for (const auto& [head, words] : b) a.try_emplace(head);
  for (const auto& [head, words] : a) {
    const std::vector<u64>& others = b[head];
    const auto [mine, other] = std::mismatch(words.begin(), words.end(), others.begin(), others.end());
    if (mine == words.end() && other == others.end()) continue;
    const auto text = [](const std::vector<u64>& of, auto at) {
      return at == of.end() ? std::string("nothing") : fmt::format("{:#x}", *at);
    };
    lines.compare("saved state", fmt::format("{}, word {}", record_text(world, head), mine - words.begin()),
                  text(words, mine), text(others, other));
  }
}

std::string event_text(const World& world, const std::optional<Event>& event) {
  if (!event) return "none";
  return fmt::format("{} at {} ps, {} port {} class {}, value {:#x}, detail {}",
                     layout::word(layout::kEventKinds, static_cast<u32>(event->kind)), event->time_ps,
                     world.fabric.names[event->node], event->port, event->cls, event->value, event->detail);
}

/// The first event that differs; both lists are in order and complete so far.
std::string first_event(const World& world, const std::vector<Event>& expected, const std::vector<Event>& found) {
  const auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end(),
                                    [](const Event& x, const Event& y) { return order_of(x) == order_of(y); });
  if (a == expected.end() && b == found.end()) return "";
  const auto of = [](auto at, auto end) { return at == end ? std::optional<Event>() : std::optional<Event>(*at); };
  return fmt::format("    events: {}, not {}\n", event_text(world, of(b, found.end())),
                     event_text(world, of(a, expected.end())));
}

EngineOptions recording(EngineOptions options) {
  options.trace = true;
  options.recorded_kinds = (1u << kEventKindCount) - 1;
  return options;
}

}  // namespace

World as_simulated(const World& world, const SelfTestWay& way) {
  World copy = world;
  copy.clocks.tick_ps = world.clocks.tick_ps / way.tick_divisor;
  return copy;
}

std::string first_difference(const World& expected_world, const SelfTestWay& expected, const World& world,
                             const SelfTestWay& way) {
  Engine a(as_simulated(expected_world, expected), recording(expected.options));
  Engine b(as_simulated(world, way), recording(way.options));
  TimePs before = 0;
  for (bool goes_on = true; goes_on;) {
    const TimePs until = (a.now_ps() / world.clocks.tick_ps + 1) * world.clocks.tick_ps;
    const bool a_goes_on = a.advance(until), b_goes_on = b.advance(until);
    const std::string event = first_event(world, a.take_events(), b.take_events());
    const bool same = a_goes_on == b_goes_on && event.empty() && a.state_digest() == b.state_digest();
    if (same) {
      before = a.now_ps();
      goes_on = a_goes_on;
      continue;
    }
    Lines lines;
    lines.compare<std::string>("run", "goes on", a_goes_on ? "yes" : "no", b_goes_on ? "yes" : "no");
    compare_totals(a.totals(), b.totals(), lines);
    compare_links(world, a, b, lines);
    compare_received(world, a, b, lines);
    compare_records(world, a, b, lines);
    return fmt::format("  the same until {} ps; by {} ps:\n{}{}", before, until, event, lines.text());
  }
  const Outcome of_a = a.outcome(), of_b = b.outcome();
  Lines lines;
  lines.compare("run", "end", layout::word(layout::kStatuses, 1 + static_cast<u32>(of_a.reason)),
                layout::word(layout::kStatuses, 1 + static_cast<u32>(of_b.reason)));
  lines.compare("run", "end_ps", of_a.end_ps, of_b.end_ps);
  compare_totals(of_a.totals, of_b.totals, lines);
  if (lines.text().empty())
    return fmt::format("  the same at every tick until {} ps, when observed: what differs does not repeat\n", before);
  return fmt::format("  the same at every tick until {} ps; of the end:\n{}", before, lines.text());
}

}  // namespace heddle
