#include "io/formats/hpcc_window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/formats/hpcc_bdp.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {
namespace {

u64 packets_of(u64 bytes, u64 payload_bytes) { return bytes / payload_bytes + (bytes % payload_bytes != 0 ? 1 : 0); }

/// The same for all pairs that send, or it is refused.
u64 window_of_pairs(HpccConfig& config, const HpccInputs& inputs, HpccBdp& bdp, u64 payload_bytes) {
  if (!inputs.flows_known) {
    config.refuse("GLOBAL_T",
                  "every pair has a window of its own, and FLOW_FILE, which is not there or is refused, would say "
                  "which pairs send; put it in its place, or use 1");
    return 0;
  }
  if (inputs.pairs.empty()) return 0;
  const auto& [src, dst] = inputs.pairs.front();
  const u64 first = bdp.of_pair(src, dst);
  u64 most = first;
  for (const auto& [from, to] : inputs.pairs) {
    const u64 bytes = bdp.of_pair(from, to);
    most = std::max(most, bytes);
    if (packets_of(bytes, payload_bytes) == packets_of(first, payload_bytes)) continue;
    config.refuse(
        "GLOBAL_T",
        fmt::format("every pair has a window of its own, {} B from node {} to {} and {} B from node {} to {}, "
                    "but one holds for all queue pairs here; use 1, which gives all of them the largest",
                    first, src, dst, bytes, from, to));
    return 0;
  }
  return most;
}

/// DCQCN's rate changes, and with VAR_WIN the window with it.
void follow_the_rate(HpccConfig& config, bool constant, HpccWindow& window) {
  if (!constant) {
    return config.refuse(
        "VAR_WIN",
        "a window that shrinks with the rate that DCQCN sets is not simulated. `heddle import hpcc --window constant` "
        "keeps it at its largest, so that a sender that was slowed down has more packets on their way than in ns-3");
  }
  window.notes.emplace_back(
      "VAR_WIN 1 lets the window shrink with the rate that DCQCN sets; here it stays at its largest (--window "
      "constant), and a sender that was slowed down has more packets on their way");
}

}  // namespace

HpccWindow hpcc_window(HpccConfig& config, const HpccInputs& inputs, u64 payload_bytes, bool constant) {
  HpccWindow window;
  const bool has_window = config.flag("HAS_WIN", true), follows = config.flag("VAR_WIN", false);
  const bool global = config.flag("GLOBAL_T", true);
  if (!has_window) {
    window.comment = config.source("HAS_WIN") + ": none";
    for (const std::string_view key : {"GLOBAL_T", "VAR_WIN"}) {
      if (config.find(key) != nullptr)
        window.meaningless.push_back(config.source(key) + ": of the window that HAS_WIN 0 switches off");
    }
    return window;
  }
  if (!inputs.topology) {
    config.refuse(
        "HAS_WIN",
        "a window is a bandwidth-delay product of the topology, and TOPOLOGY_FILE is not there or is refused; "
        "put it in its place, or use 0");
    return window;
  }
  if (follows && config.whole("CC_MODE").value_or(1) != 0) follow_the_rate(config, constant, window);
  HpccBdp bdp(*inputs.topology, payload_bytes);
  const bool same = global || config.is_simais();
  const u64 bytes = same ? bdp.largest() : window_of_pairs(config, inputs, bdp, payload_bytes);
  window.packets = packets_of(bytes, payload_bytes);
  if (window.packets > kPsnWindowPackets) {
    config.refuse("HAS_WIN", fmt::format("windows are of more than {} packets, and no queue pair has as many on their "
                                         "way; use 0",
                                         kPsnWindowPackets));
  }
  window.comment =
      fmt::format("{}, {}, {}: {} B, {}", config.source("HAS_WIN", "1"), config.source("GLOBAL_T", "1"),
                  config.source("VAR_WIN", "0"), bytes,
                  same ? "the largest bandwidth-delay product" : "the bandwidth-delay product of all pairs");
  if (!global && same) {
    window.notes.emplace_back(
        "GLOBAL_T 0: SimAI's program, whose keys this file has, takes it for 1; HPCC's would give each pair a window "
        "of its own");
  }
  if (bdp.is_ambiguous()) {
    window.notes.emplace_back(
        "some shortest paths between two hosts differ in delay or rate: for windows ns-3 takes the one whose nodes lie "
        "first in its memory, here the one by the nodes of the least numbers");
  }
  return window;
}

}  // namespace heddle
