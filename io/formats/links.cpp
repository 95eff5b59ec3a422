#include "io/formats/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "io/printable.hpp"

namespace heddle {
namespace {

struct Unit {
  std::string_view name;
  int exponent;   // power of ten to the table's unit
  u32 times = 1;  // and a factor: bits of a byte
};

// ns-3's words (DataRate, Time), and Tbps. Longer names come first, so the first that fits is meant.
constexpr Unit kRateUnits[] = {
    {"Tbps", 12},   {"Gbps", 9},    {"Mbps", 6},    {"Kbps", 3},    {"kbps", 3},   {"bps", 0},  //
    {"Tb/s", 12},   {"Gb/s", 9},    {"Mb/s", 6},    {"Kb/s", 3},    {"kb/s", 3},   {"b/s", 0},  //
    {"GBps", 9, 8}, {"MBps", 6, 8}, {"KBps", 3, 8}, {"kBps", 3, 8}, {"Bps", 0, 8},              //
    {"GB/s", 9, 8}, {"MB/s", 6, 8}, {"KB/s", 3, 8}, {"kB/s", 3, 8}, {"B/s", 0, 8}};
constexpr Unit kTimeUnits[] = {{"ms", 9}, {"us", 6}, {"ns", 3}, {"ps", 0}, {"s", 12}};

/// A column of a link.
struct Column {
  std::string_view name, example, smallest;
  std::span<const Unit> units;
  // A number without a unit, which ns-3 takes for `bare`, is read so from `min_bare` to `max_bare` of the table's
  // unit: outside it was hardly meant.
  std::string_view bare;
  int bare_exponent;
  u64 min_bare, max_bare;
};
constexpr Column kRate = {"rate", "25Gbps", "bit/s", kRateUnits, "bit/s", 0, 100'000'000, 100'000'000'000'000};
constexpr Column kDelay = {"delay", "1000ns", "ps", kTimeUnits, "seconds", 12, 0, 100'000'000'000};

/// "25Gbps", "25Gb/s" and "25000000000" in bit/s; "0.001ms" and "0.000001" in ps.
u64 quantity(const TextFile& file, const Field& field, const Column& column) {
  const std::string quoted = fmt::format("{} is '{}'", column.name, excerpt(field.text));
  const auto check = [&](const Decimal& d, u32 times) -> std::optional<u64> {
    if (d.error == DecimalError::malformed) return std::nullopt;
    if (d.error == DecimalError::none && d.value <= static_cast<u64>(kNever) / times) return d.value * times;
    const std::string_view why = d.error == DecimalError::too_fine ? "not a whole number of " : "more than 64 bits of ";
    file.fail(field, fmt::format("{}, {}{}; give it with fewer digits", quoted, why, column.smallest));
  };
  for (const Unit& unit : column.units) {
    if (!field.text.ends_with(unit.name)) continue;
    const std::string_view number = field.text.substr(0, field.text.size() - unit.name.size());
    if (const auto value = check(parse_decimal(number, unit.exponent), unit.times)) return *value;
    break;
  }
  if (const auto value = check(parse_decimal(field.text, column.bare_exponent), 1)) {
    if (*value == 0 || (*value >= column.min_bare && *value <= column.max_bare)) return *value;
    file.fail(field, fmt::format("{} without a unit, which ns-3 takes for {} and was hardly meant; write it like '{}'",
                                 quoted, column.bare, column.example));
  }
  file.fail(field, fmt::format("{}, not a number with a unit; write it like '{}'", quoted, column.example));
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
  file.expect_fields(line,
                     line.fields.size() == 4 ? "src dst rate delay error_rate (add the error rate, 0 for none)"
                                             : "src dst rate delay error_rate",
                     5);
  PlainLink link;
  link.line = line.number;
  link.a = static_cast<u32>(file.number(line.fields[0], "src", 0, last_id, "node id"));
  link.b = static_cast<u32>(file.number(line.fields[1], "dst", 0, last_id, "node id"));
  if (link.a == link.b) file.fail(line.fields[1], fmt::format("link from node {} to itself; remove it", link.a));
  link.bits_per_s = quantity(file, line.fields[2], kRate);
  if (link.bits_per_s == 0)
    file.fail(line.fields[2], "rate is 0, so nothing would ever cross this link; give a positive rate");
  link.latency_ps = static_cast<i64>(quantity(file, line.fields[3], kDelay));
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

std::string lossy_link_of(const PlainTopology& imported, const std::string& path) {
  const auto lossy = std::ranges::find_if(imported.links, [](const PlainLink& link) { return link.error_rate != 0; });
  if (lossy == imported.links.end()) return "";
  return fmt::format(
      "{}:{}:{}: link {} - {} has error rate {}, with which ns-3 loses every packet whatever its length, pauses too; "
      "[[failure]] with kind = \"bit_errors\" loses packets by their length, and no pauses: set it to 0 here, and give "
      "such a [[failure]] if that will do",
      path, lossy->line, lossy->error_rate_column, lossy->a, lossy->b, lossy->error_rate);
}

}  // namespace heddle
