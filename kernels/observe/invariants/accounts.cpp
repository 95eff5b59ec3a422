#include "kernels/observe/invariants/accounts.hpp"

#include "kernels/fabric/admission.hpp"
#include "kernels/fabric/came_by.hpp"

namespace heddle {
namespace {

struct Held {
  std::vector<u64> in_account;  // [links * pfc_classes] bytes of packets charged to each account
  std::vector<u64> in_pool, shared_in_pool;
};

/// Switches: a waiting packet is charged to its ingress port, or, with a dynamic limit, to the pool alone.
void add_waiting(const Reading& r, Held& held) {
  const View& v = r.v;
  const u32 classes = v.settings.classes, pfc_classes = v.settings.pfc_classes;
  const u32 switch_links = v.first_link[v.switches];
  for (u32 q = 0; q < switch_links * classes; ++q) {
    const u32 link = q / classes, c = q % classes;
    if (limit_is_dynamic(v, link, c)) {
      held.in_pool[v.ingress[link].pool] += v.queue[q].bytes;
      held.shared_in_pool[v.ingress[link].pool] += v.queue[q].bytes;
    }
    if (v.settings.pfc_index[c] == kNone) continue;
    const u32 first = v.first_link[v.link_node[link]];
    r.each_packet(q, r.now[q].sent, r.now[q].tail, [&](const Packet& packet, TimePs) {
      const CameBy by = came_by(v.settings, packet);
      const u32 own = first + by.port, pfc = v.settings.pfc_index[by.traffic_class];
      if (own < v.links) held.in_account[own * pfc_classes + pfc] += held_at(v, link, packet);
    });
  }
}

/// Slow NICs: packets in their buffers, in order of draining.
std::string add_buffered(const Reading& r, Held& held) {
  const View& v = r.v;
  for (u32 e = 0; e < v.endpoints; ++e) {
    const Fifo& buffer = v.endpoint.nic[e].slow.buffer;
    TimePs last = r.tick.to_ps;
    for (u32 p = buffer.head; p != buffer.tail; ++p) {
      const Packet& packet = v.pool.packet[buffer.ring.at(p)];
      const u32 link = v.first_link[v.switches + e] + packet.dst() - v.endpoint.id[e] * v.settings.nic_ports;
      const TimePs drained = v.pool.time_ps[buffer.ring.at(p)];
      const u32 pfc = v.settings.pfc_index[packet.traffic_class()];
      if (drained < last) return r.at_port(link, "a slow NIC's buffer is out of order of time, or was not drained");
      if (pfc == kNone) return r.at_port(link, "a slow NIC's buffer holds a packet of a class without PFC");
      held.in_account[link * v.settings.pfc_classes + pfc] += held_at(v, link, packet);
      last = drained;
    }
  }
  return {};
}

std::string check_account(const Reading& r, u32 link, const Account& account, u64 packets_bytes) {
  const u64 occupancy = account.occupancy_bytes;
  const std::string holds = "the PFC account holds " + std::to_string(occupancy) + " B";
  if (occupancy > 0x7fffffff)
    return "the PFC account is negative: " + std::to_string(static_cast<i32>(occupancy)) + " B";
  if (occupancy != packets_bytes) return holds + ", its packets " + std::to_string(packets_bytes);
  if (r.v.settings.links_fail) return {};  // a link that went down has lost the level at which it paused
  const u64 limit = account_limit_bytes(r.v, r.v.ingress[link], account);
  if (occupancy > limit) {
    return holds + ", more than XOFF (or the level at the pause) + headroom, " + std::to_string(limit) + " B";
  }
  return {};
}

std::string check_pools(const Reading& r, const Held& held) {
  for (u32 i = 0; i < held.in_pool.size(); ++i) {
    const PoolState& pool = r.v.pool_state[i];
    const std::string name = "invariant violated: pool " + std::to_string(i);
    if (held.in_pool[i] != pool.used_bytes) {
      return name + " counts " + std::to_string(pool.used_bytes) + " B, its accounts and queues sum to " +
             std::to_string(held.in_pool[i]);
    }
    if (held.shared_in_pool[i] != pool.shared_used_bytes) {
      return name + " counts " + std::to_string(pool.shared_used_bytes) + " B of its shared part, which sums to " +
             std::to_string(held.shared_in_pool[i]);
    }
    if (pool.used_bytes > r.v.pool_limits[i].limit_bytes) return name + " holds more than its limit";
    if (pool.arriving_bytes != 0 || pool.best_effort_arriving != 0) {
      return name + " counts arrivals of a window that is over";
    }
  }
  return {};
}

}  // namespace

std::string check_accounts(const Reading& r) {
  const View& v = r.v;
  const u32 pools = v.first_pool[v.nodes];
  Held held{std::vector<u64>(static_cast<std::size_t>(v.links) * v.settings.pfc_classes, 0), std::vector<u64>(pools, 0),
            std::vector<u64>(pools, 0)};
  add_waiting(r, held);
  std::string problem = add_buffered(r, held);
  if (!problem.empty()) return problem;
  for (u32 link = 0; link < v.links; ++link) {
    const IngressPort& port = v.ingress[link];
    if (port.profile == kNone) continue;
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
      const u32 a = link * v.settings.pfc_classes + p;
      problem = check_account(r, link, v.account[a], held.in_account[a]);
      if (!problem.empty()) return r.at_port(link, problem);
      if (port.pool == kNone) continue;
      held.in_pool[port.pool] += v.account[a].occupancy_bytes;
      held.shared_in_pool[port.pool] += shared_part_bytes(v.ingress_profile[port.profile], v.account[a]);
    }
  }
  return check_pools(r, held);
}

}  // namespace heddle
