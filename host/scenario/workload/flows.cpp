#include "host/scenario/workload/flows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/topology/topology.hpp"

namespace heddle {

void place_flows(std::vector<PlainFlow>& flows, const PlainTopology& imported, const std::string& file) {
  const std::vector<NodeId> ids = node_ids_of(imported);
  const u64 left_out = static_cast<u64>(std::ranges::count(ids, kNone));
  const u64 hosts = ids.size() - left_out - imported.switches.size();
  const auto endpoint = [&](u32 id, u32 line, u32 column) {
    if (id >= ids.size() || ids[id] >= hosts) {
      const char* what = id >= ids.size()   ? "not in the topology file"
                         : ids[id] == kNone ? "left out by topology.first_hosts"
                                            : "a switch in the topology file";
      throw ConfigError(
          fmt::format("{}:{}:{}: node {} is {}; flows run between hosts, named by their node ids there "
                      "(workload.first_flows keeps the first flows of the file alone)",
                      file, line, column, id, what));
    }
    return ids[id];
  };
  for (PlainFlow& flow : flows) {
    flow.src = endpoint(flow.src, flow.line, flow.src_column);
    flow.dst = endpoint(flow.dst, flow.line, flow.dst_column);
  }
}

namespace {

/// Warns of starts below a nanosecond, which have no effect, and were hardly meant to be in picoseconds.
void warn_about_starts(const PlainMatrix& matrix, const std::string& file, std::vector<std::string>& warnings) {
  constexpr i64 kMinStartPs = 1000;
  const PlainFlow* latest = nullptr;
  for (size_t i = 0; i < matrix.flows.size(); ++i) {
    const bool waits = matrix.waits[i].count != 0;
    if (!waits && (latest == nullptr || matrix.flows[i].start_ps > latest->start_ps)) latest = &matrix.flows[i];
  }
  if (latest == nullptr || latest->start_ps == 0 || latest->start_ps >= kMinStartPs) return;
  warnings.push_back(
      fmt::format("{}:{}: the latest start of a flow is {} ps, so all flows that wait for none begin at once. "
                  "uet-htsim's programs take start for microseconds, csg-htsim's and spcl/HTSIM's for picoseconds: set "
                  "workload.start_unit = \"us\" if that is what this matrix was made for",
                  file, latest->line, latest->start_ps));
}

}  // namespace

void place_waits(PlainMatrix& matrix, const std::string& file, StartUnit unit, std::vector<std::string>& warnings) {
  const PlainFlow *example = nullptr, *awaited = nullptr;
  u64 elsewhere = 0;
  for (size_t i = 0; i < matrix.flows.size(); ++i) {
    const PlainFlow& flow = matrix.flows[i];
    PlainFlowWaits& waits = matrix.waits[i];
    std::vector<u32> sent;
    for (const u32 number : waits.sent) {
      const PlainFlow& other = matrix.flows[number];
      const bool comes_here = other.src != flow.src && other.dst == flow.src;
      (comes_here ? waits.received : sent).push_back(number);
      if (comes_here && example == nullptr) example = &flow, awaited = &other;
    }
    elsewhere += sent.size() != waits.sent.size() ? 1 : 0;
    waits.sent = std::move(sent);
  }
  if (example != nullptr) {
    warnings.push_back(fmt::format(
        "{}:{}: {} of {} flows begin by a send_done_trigger of a flow that another node sends, the first one from "
        "node {} when {}->{} (line {}) is done. In htsim it begins when the last ACK is at node {}, of which node {} "
        "cannot know; here it begins when node {} has received that flow, half a round trip earlier, as with "
        "recv_done_trigger",
        file, example->line, elsewhere, matrix.flows.size(), example->src, awaited->src, awaited->dst, awaited->line,
        awaited->src, example->src, example->src));
  }
  if (unit == StartUnit::ps) warn_about_starts(matrix, file, warnings);
}

}  // namespace heddle
