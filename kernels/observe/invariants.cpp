#include "kernels/observe/invariants.hpp"

#include <bit>
#include <vector>

#include "kernels/fabric/admission.hpp"

namespace heddle {
namespace {

std::string at_port(const View& v, u32 link, const std::string& what) {
  const u32 node = v.link_node[link];
  return "invariant violated at port " + std::to_string(link - v.first_link[node]) + " of node " +
         std::to_string(v.node_id[node]) + ": " + what;
}

/// One FIFO: order, bytes, nothing overdue. Adds what waits to the accounts of its node.
std::string check_queue(const View& v, u32 link, u32 c, TimePs now_ps, u32 parity, std::vector<u64>& occupancy) {
  const u32 q = link * v.settings.classes + c;
  const Queue& queue = v.queue[q];
  const u32 head = v.head[parity][q];
  const u32 node = v.link_node[link];
  if (static_cast<i32>(queue.sent - head) < 0 || static_cast<i32>(queue.tail - queue.sent) < 0) {
    return at_port(v, link, "queue positions are out of order");
  }
  if (queue.tail - head > queue.ring.entries()) return at_port(v, link, "a ring holds more than its entries");
  u64 bytes = 0;
  TimePs before = 0;
  for (u32 p = head; p != queue.tail; ++p) {
    const Packet& packet = v.pool.packet[queue.ring.at(p)];
    const TimePs t = v.pool.time_ps[queue.ring.at(p)];
    if (p == queue.sent) before = 0;
    if (t < before) return at_port(v, link, "a FIFO is out of order of time");
    before = t;
    const bool wire = static_cast<i32>(p - queue.sent) < 0;
    if (wire && t < now_ps) return at_port(v, link, "a packet that has arrived was not taken");
    if (!wire && t >= now_ps) return at_port(v, link, "a packet waits before it has arrived");
    if (packet.traffic_class() != c) return at_port(v, link, "a packet is in another class's queue");
    if (wire || node >= v.switches) continue;
    const u32 held = held_bytes(packet.frame_bytes(), v.egress[link].cell_bytes);
    bytes += held;
    if (v.settings.pfc_index[c] != kNone) {
      occupancy[(v.first_link[node] + packet.ingress_port()) * v.settings.pfc_classes + v.settings.pfc_index[c]] +=
          held;
    }
  }
  if (node < v.switches && bytes != queue.bytes)
    return at_port(v, link, "queued bytes are not what the packets sum to");
  return {};
}

/// Pools hold what their accounts hold, and the queues of classes with dynamic limits.
std::string check_accounts(const View& v, const std::vector<u64>& occupancy) {
  std::vector<u64> used(v.first_pool[v.nodes], 0);
  for (u32 q = 0; q < v.links * v.settings.classes; ++q) {
    const u32 link = q / v.settings.classes;
    if (v.link_node[link] < v.switches && limit_is_dynamic(v, link, q % v.settings.classes))
      used[v.ingress[link].pool] += v.queue[q].bytes;
  }
  std::vector<u64> shared_used = used;
  for (u32 l = 0; l < v.links; ++l) {
    if (v.ingress[l].profile == kNone) continue;
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
      const u32 a = l * v.settings.pfc_classes + p;
      const u64 held = v.account[a].occupancy_bytes;
      if (v.link_node[l] < v.switches && held != occupancy[a]) {
        return at_port(
            v, l, "the PFC account holds " + std::to_string(held) + " B, its packets " + std::to_string(occupancy[a]));
      }
      const IngressProfile& profile = v.ingress_profile[v.ingress[l].profile];
      if (v.ingress[l].pool != kNone) {
        used[v.ingress[l].pool] += held;
        shared_used[v.ingress[l].pool] += shared_part_bytes(profile, v.account[a]);
      }
      const u64 before_headroom = v.account[a].pausing ? v.account[a].level_at_pause_bytes : profile.xoff_bytes;
      if (!profile.dynamic && held > before_headroom + profile.headroom_bytes) {
        return at_port(v, l, "more than XOFF (or the level at the pause) + headroom is held");
      }
    }
  }
  for (u32 i = 0; i < used.size(); ++i) {
    if (used[i] != v.pool_state[i].used_bytes || shared_used[i] != v.pool_state[i].shared_used_bytes)
      return "invariant violated: pool " + std::to_string(i) + " is not what its accounts and queues sum to";
    if (used[i] > v.pool_limits[i].limit_bytes)
      return "invariant violated: pool " + std::to_string(i) + " holds more than its limit";
  }
  return {};
}

std::string check_senders(const View& v, u32 e) {
  u32 ready = 0, expected = 0;
  for (u32 i = v.endpoint.first_sender[e]; i < v.endpoint.first_sender[e + 1]; ++i) {
    const Sender& q = v.endpoint.sender[i];
    ready += q.ready;
    if (static_cast<i32>(q.next - q.una) < 0 || static_cast<i32>(q.sent_end - q.next) < 0) {
      return "invariant violated: PSNs of queue pair " + std::to_string(i - v.endpoint.first_sender[e]) +
             " of endpoint " + std::to_string(v.endpoint.id[e]) + " are out of order";
    }
  }
  u32 bits = 0;
  for (u32 w = v.endpoint.first_ready_word[e]; w < v.endpoint.first_ready_word[e + 1]; ++w) {
    bits += static_cast<u32>(std::popcount(v.endpoint.ready[w]));
  }
  for (u32 c = 1; c < v.settings.classes; ++c) expected += v.endpoint.nic[e].ready[c];
  if (ready != expected || bits != expected) {
    return "invariant violated: the ready set of endpoint " + std::to_string(v.endpoint.id[e]) + " is inconsistent";
  }
  return {};
}

}  // namespace

std::string find_violation(const Model& model, TimePs now_ps, u32 parity) {
  const View& v = model.view;
  std::vector<u64> occupancy(static_cast<std::size_t>(v.links) * v.settings.pfc_classes, 0);
  for (u32 l = 0; l < v.links; ++l) {
    for (u32 c = 0; c < v.settings.classes; ++c) {
      std::string problem = check_queue(v, l, c, now_ps, parity, occupancy);
      if (!problem.empty()) return problem;
    }
  }
  std::string problem = check_accounts(v, occupancy);
  for (u32 e = 0; e < v.endpoints && problem.empty(); ++e) problem = check_senders(v, e);
  return problem;
}

}  // namespace heddle
