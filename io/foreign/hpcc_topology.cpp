// Reader of topology.txt.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "io/foreign/hpcc.hpp"
#include "io/foreign/hpcc_rest.hpp"
#include "io/foreign/text.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxNodes = 1u << 24;
constexpr u64 kMaxLinks = 1u << 28;

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
    file.fail(field, fmt::format("{} is '{}', {}{}; give it with fewer digits", name, field.text, why, smallest));
  }
  file.fail(field, fmt::format("{} is '{}', not a number with a unit; write it like '{}'", name, field.text, accepted));
}

double error_rate(const TextFile& file, const Field& field) {
  double rate = 0;
  const char* end = field.text.data() + field.text.size();
  const auto [stop, error] = std::from_chars(field.text.data(), end, rate);
  if (error != std::errc{} || stop != end || !(rate >= 0 && rate <= 1)) {
    file.fail(field, fmt::format("error rate is '{}', not a probability; write a number from 0 to 1", field.text));
  }
  return rate;
}

void read_switches(TextFile& file, u64 count, PlainTopology& topology, u64 last_id) {
  if (count == 0) return;
  const TextLine& line = file.take("the line of switch ids");
  file.expect_fields(line, "the switch ids, as many as the first line declares", count);
  std::set<u32> seen;
  for (const Field& field : line.fields) {
    const auto id = static_cast<u32>(file.number(field, "switch id", 0, last_id));
    if (!seen.insert(id).second) {
      file.fail(field, fmt::format("switch id {} appears twice; every switch is named once", id));
    }
    topology.switches.push_back(id);
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

/// Every node must be reachable from the first, else some flow could never finish.
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
  while (is_left_out(first)) ++first;
  for (u32 n = first + 1; n < topology.nodes; ++n) {
    if (is_left_out(n) || root(n) == root(first)) continue;
    file.fail(1, 1,
              fmt::format("no path of links joins node {} and node {}, so they could never talk; add the missing "
                          "links or lower the number of nodes",
                          n, first));
  }
}

/// Leaves out all hosts but the `count` of the least ids.
void keep_first_hosts(const TextFile& file, u32 count, PlainTopology& topology) {
  for (const PlainLink& link : topology.links) topology.nodes = std::max({topology.nodes, link.a + 1, link.b + 1});
  for (const u32 id : topology.switches) topology.nodes = std::max(topology.nodes, id + 1);
  std::vector<bool> is_switch(topology.nodes);
  for (const u32 id : topology.switches) is_switch[id] = true;
  topology.left_out.assign(topology.nodes, false);
  u32 hosts = 0;
  for (u32 id = 0; id < topology.nodes; ++id) {
    if (!is_switch[id]) topology.left_out[id] = ++hosts > count;
  }
  if (hosts < count) {
    file.fail(1, 1,
              fmt::format("topology.first_hosts asks for {} hosts, but the file has {}; ask for fewer", count, hosts));
  }
  std::erase_if(topology.links, [&](const PlainLink& l) { return topology.left_out[l.a] || topology.left_out[l.b]; });
}

[[noreturn]] void fail_of_extra_links(const TextFile& file, const Rest& rest, const PlainTopology& topology,
                                      u64 declared) {
  const u64 switches = topology.switches.size(), nodes = std::max<u64>(topology.nodes, rest.largest_node + 1);
  file.fail(
      rest.first_data, 1,
      fmt::format("the first line declares {} nodes and {} links, but {} more links follow, between nodes up to {} "
                  "(HPCC would leave them out and say nothing): make it '{} {} {}' for all of them, or set "
                  "topology.first_hosts = {} for the hosts that are declared",
                  topology.nodes, declared, rest.data_lines, rest.largest_node, nodes, switches,
                  declared + rest.data_lines, topology.nodes - switches));
}

}  // namespace

PlainTopology read_hpcc_topology(const std::string& path, const ReadOptions& options,
                                 std::vector<std::string>* warnings) {
  TextFile file(path);
  const TextLine& head = file.take("the first line, 'nodes switches links',");
  if (head.fields.size() == 6) {
    file.fail(head.fields[0],
              "6 values on the first line, as in SimAI's topologies (nodes gpus_per_server nvswitches "
              "switches links gpu_type), which are not supported; give an HPCC topology.txt, whose first "
              "line is 'nodes switches links'");
  }
  file.expect_fields(head, "nodes switches links", 3);
  PlainTopology topology;
  topology.nodes = static_cast<u32>(file.number(head.fields[0], "number of nodes", 1, kMaxNodes));
  const u64 switches = file.number(head.fields[1], "number of switches", 0, topology.nodes);
  const u64 links = file.number(head.fields[2], "number of links", 0, kMaxLinks);
  const u64 last_id = options.first_hosts != 0 ? kMaxNodes - 1 : topology.nodes - 1;
  read_switches(file, switches, topology, last_id);
  for (u64 i = 0; i < links; ++i) {
    const TextLine& line = file.take(fmt::format("link {} of the {} that the first line declares", i + 1, links));
    topology.links.push_back(read_link(file, line, last_id));
  }
  if (options.first_hosts != 0) {
    while (!file.at_end() && is_data(file.peek())) topology.links.push_back(read_link(file, file.take(""), last_id));
    keep_first_hosts(file, options.first_hosts, topology);
  }
  const Rest rest = take_rest(file);
  if (rest.data_lines != 0 && !options.accept_extra_lines) fail_of_extra_links(file, rest, topology, links);
  warn_of_rest(file, rest, fmt::format("links beyond the {} that the first line declares", links), warnings);
  check_connected(file, topology);
  return topology;
}

}  // namespace heddle
