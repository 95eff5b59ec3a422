#include "io/foreign/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "io/printable.hpp"

namespace heddle {
namespace {

struct Unit {
  std::string_view name;
  int exponent;  // power of ten to the table's unit
};
constexpr Unit kRateUnits[] = {{"Tbps", 12}, {"Gbps", 9}, {"Mbps", 6}, {"Kbps", 3}, {"kbps", 3}, {"bps", 0}};
constexpr Unit kTimeUnits[] = {{"ms", 9}, {"us", 6}, {"ns", 3}, {"ps", 0}, {"s", 12}};

/// "25Gbps" in bit/s, "0.001ms" in ps. Longer unit names come first in the tables, so the first that fits is meant.
u64 quantity(const TextFile& file, const Field& field, std::string_view name, std::span<const Unit> units,
             std::string_view accepted, std::string_view smallest) {
  for (const Unit& unit : units) {
    if (!field.text.ends_with(unit.name)) continue;
    const Decimal d = parse_decimal(field.text.substr(0, field.text.size() - unit.name.size()), unit.exponent);
    if (d.error == DecimalError::none && d.value <= static_cast<u64>(kNever)) return d.value;
    if (d.error == DecimalError::malformed) break;
    const std::string_view why = d.error == DecimalError::too_fine ? "not a whole number of " : "more than 64 bits of ";
    file.fail(field,
              fmt::format("{} is '{}', {}{}; give it with fewer digits", name, excerpt(field.text), why, smallest));
  }
  file.fail(field, fmt::format("{} is '{}', not a number with a unit; write it like '{}'", name, excerpt(field.text),
                               accepted));
}

double error_rate(const TextFile& file, const Field& field) {
  double rate = 0;
  const char* end = field.text.data() + field.text.size();
  const auto [stop, error] = std::from_chars(field.text.data(), end, rate);
  if (error != std::errc{} || stop != end || !(rate >= 0 && rate <= 1)) {
    file.fail(field,
              fmt::format("error rate is '{}', not a probability; write a number from 0 to 1", excerpt(field.text)));
  }
  return rate;
}

}  // namespace

void read_ids(const TextFile& file, const TextLine& line, std::string_view what, u64 last_id, std::vector<u32>& ids) {
  std::set<u32> seen(ids.begin(), ids.end());
  for (const Field& field : line.fields) {
    const auto id = static_cast<u32>(file.number(field, fmt::format("{} id", what), 0, last_id));
    if (!seen.insert(id).second)
      file.fail(field, fmt::format("{} id {} appears twice; every {} is named once", what, id, what));
    ids.push_back(id);
  }
}

PlainLink read_link(const TextFile& file, const TextLine& line, u64 last_id) {
  file.expect_fields(line, "src dst rate delay error_rate", 5);
  PlainLink link;
  link.line = line.number;
  link.a = static_cast<u32>(file.number(line.fields[0], "src", 0, last_id, "node id"));
  link.b = static_cast<u32>(file.number(line.fields[1], "dst", 0, last_id, "node id"));
  if (link.a == link.b) file.fail(line.fields[1], fmt::format("link from node {} to itself; remove it", link.a));
  link.bits_per_s = quantity(file, line.fields[2], "rate", kRateUnits, "25Gbps", "bit/s");
  if (link.bits_per_s == 0)
    file.fail(line.fields[2], "rate is 0, so nothing would ever cross this link; give a positive rate");
  link.latency_ps = static_cast<i64>(quantity(file, line.fields[3], "delay", kTimeUnits, "1000ns", "ps"));
  link.error_rate = error_rate(file, line.fields[4]);
  link.error_rate_column = line.fields[4].column;
  return link;
}

void check_repeated(const TextFile& file, const std::vector<PlainLink>& links) {
  struct Seen {
    u32 low, high, line;
  };
  std::vector<Seen> seen;
  seen.reserve(links.size());
  for (const PlainLink& link : links) seen.push_back({std::min(link.a, link.b), std::max(link.a, link.b), link.line});
  std::ranges::sort(seen, {}, [](const Seen& s) { return std::tie(s.low, s.high, s.line); });
  const auto same = [](const Seen& a, const Seen& b) { return a.low == b.low && a.high == b.high; };
  const auto found = std::ranges::adjacent_find(seen, same);
  if (found == seen.end()) return;
  file.fail(
      found[1].line, 1,
      fmt::format("a second link between nodes {} and {}, after that of line {}; ns-3 sends over the last of them "
                  "alone, so remove the others, or add up their rates in one",
                  found->low, found->high, found->line));
}

void check_connected(const TextFile& file, const PlainTopology& topology) {
  std::vector<u32> parent(topology.nodes);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](u32 n) {
    for (; parent[n] != n; n = parent[n]) parent[n] = parent[parent[n]];
    return n;
  };
  for (const PlainLink& link : topology.links) parent[root(link.a)] = root(link.b);
  const auto is_left_out = [&](u32 n) { return !topology.left_out.empty() && topology.left_out[n]; };
  u32 first = 0;
  while (first < topology.nodes && is_left_out(first)) ++first;
  for (u32 n = first + 1; n < topology.nodes; ++n) {
    if (is_left_out(n) || root(n) == root(first)) continue;
    file.fail(1, 1,
              fmt::format("no path of links joins node {} and node {}, so they could never talk; add the missing "
                          "links or lower the number of nodes",
                          n, first));
  }
}

}  // namespace heddle
