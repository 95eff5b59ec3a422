// Reader of topology.txt.
#include <fmt/format.h>

#include <algorithm>

#include "io/formats/hpcc.hpp"
#include "io/formats/hpcc_rest.hpp"
#include "io/formats/links.hpp"
#include "io/formats/text.hpp"

namespace heddle {
namespace {

void read_switches(TextFile& file, u64 count, PlainTopology& topology, u64 last_id) {
  if (count == 0) return;
  const TextLine& line = file.take("the line of switch ids");
  file.expect_fields(line, "the switch ids, as many as the first line declares", count);
  read_ids(file, line, "switch", last_id, topology.switches);
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

/// `tors`: a third number of the first line, with a blank behind it, or nothing.
[[noreturn]] void fail_of_extra_links(const TextFile& file, const Rest& rest, const PlainTopology& topology,
                                      const std::string& tors, u64 declared) {
  const u64 switches = topology.switches.size(), nodes = std::max<u64>(topology.nodes, rest.largest_node + 1);
  file.fail(
      rest.first_data, 1,
      fmt::format("the first line declares {} nodes and {} links, but {} more links follow, between nodes up to {} "
                  "(HPCC would leave them out and say nothing): make it '{} {} {}{}' for all of them, or set "
                  "topology.first_hosts = {} for the hosts that are declared",
                  topology.nodes, declared, rest.data_lines, rest.largest_node, nodes, switches, tors,
                  declared + rest.data_lines, topology.nodes - switches));
}

/// SimAI's ends with the type of its GPUs.
[[noreturn]] void fail_of_dialect(const TextFile& file, const TextLine& head) {
  const std::string_view last = head.fields.back().text;
  if (head.fields.size() == 6 && (last[0] < '0' || last[0] > '9')) {
    file.fail(head.fields[0],
              "6 values on the first line, as in SimAI's topologies (nodes gpus_per_server nvswitches "
              "switches links gpu_type); set topology.kind = \"simai\", or give an HPCC topology.txt, whose first "
              "line is 'nodes switches links'");
  }
  const u32 column = head.fields.size() > 3 ? head.fields[3].column : static_cast<u32>(head.text.size() + 1);
  file.fail(head.number, column,
            fmt::format("{} values where 3 are expected: nodes switches links, as in HPCC and conweave-ns3. Read are "
                        "also 4, 'nodes switches tors links' of ns3-datacenter, and with topology.kind = \"simai\" 6, "
                        "the last of which is a word, the type of the GPUs{}",
                        head.fields.size(),
                        head.fields.size() == 1 ? "; one number alone begins a flow.txt, which is for "
                                                  "workload.flow_file"
                                                : ""));
}

}  // namespace

PlainTopology read_hpcc_topology(const std::string& path, const ReadOptions& options,
                                 std::vector<std::string>* warnings) {
  TextFile file(path);
  const TextLine& head = file.take("the first line, 'nodes switches links',");
  const size_t columns = head.fields.size();
  if (columns != 3 && columns != 4) fail_of_dialect(file, head);
  PlainTopology topology;
  topology.nodes = static_cast<u32>(file.number(head.fields[0], "number of nodes", 1, kMaxFileNodes));
  const u64 switches = file.number(head.fields[1], "number of switches", 0, topology.nodes);
  if (columns == 4) file.number(head.fields[2], "number of ToRs", 0, switches);  // ns3-datacenter does not use it
  const u64 links = file.number(head.fields.back(), "number of links", 0, kMaxFileLinks);
  const u64 last_id = options.first_hosts != 0 ? kMaxFileNodes - 1 : topology.nodes - 1;
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
  if (rest.data_lines != 0 && !options.accept_extra_lines) {
    fail_of_extra_links(file, rest, topology, columns == 4 ? std::string(head.fields[2].text) + " " : "", links);
  }
  warn_of_rest(file, rest, fmt::format("links beyond the {} that the first line declares", links), warnings);
  check_connected(file, topology);
  check_repeated(file, topology.links);
  return topology;
}

}  // namespace heddle
