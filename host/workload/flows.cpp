#include "host/workload/flows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/error.hpp"
#include "host/topology/topology.hpp"

namespace heddle {

std::vector<MessageOptions> messages_from_flows(std::span<const PlainFlow> flows, const PlainTopology* imported,
                                                const std::string& file) {
  std::vector<NodeId> ids;
  if (imported != nullptr) ids = node_ids_of(*imported);
  const u64 left_out = static_cast<u64>(std::ranges::count(ids, kNone));
  const u64 hosts = imported == nullptr ? 0 : ids.size() - left_out - imported->switches.size();
  const auto endpoint = [&](u32 id, u32 line, u32 column) {
    if (imported == nullptr) return id;
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
  std::vector<MessageOptions> messages;
  for (const PlainFlow& flow : flows) {
    MessageOptions message;
    message.src = endpoint(flow.src, flow.line, flow.src_column);
    message.dst = endpoint(flow.dst, flow.line, flow.dst_column);
    message.bytes = flow.bytes;
    message.post_ps = flow.start_ps;
    messages.push_back(message);
  }
  return messages;
}

std::vector<MessageOptions> messages_from_matrix(const PlainMatrix& matrix) {
  std::vector<MessageOptions> messages = messages_from_flows(matrix.flows, nullptr, "");
  for (size_t i = 0; i < messages.size(); ++i) {
    const PlainFlowWaits& waits = matrix.waits[i];
    messages[i].after_sent.assign(waits.sent.begin(), waits.sent.end());
    messages[i].after_received.assign(waits.received.begin(), waits.received.end());
    messages[i].after_count = waits.count;
  }
  return messages;
}

}  // namespace heddle
