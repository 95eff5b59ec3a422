// The lossless buffer of a node, accounted per (ingress link, class) and per pool, and the PFC decisions taken from it
// (MODEL.md, 5.5, 5.6 and 6.1 to 6.4). A switch has one; a slow endpoint has one for what its NIC has not drained.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "tests/oracle/simulation.hpp"
#include "tests/oracle/transmitter.hpp"

namespace heddle::oracle {

class IngressBuffers {
 public:
  IngressBuffers(Simulation& sim, NodeId node);

  /// Whether packets of this class that arrive by `link` are accounted for.
  bool accounts_for(LinkId link, u32 cls) const;
  /// Returns why an arrival at `t` cannot be held, if so. Arrivals before it at `t` are charged already.
  std::optional<DropCause> refuses(LinkId link, const Packet& packet, TimePs t) const;
  void charge(LinkId link, const Packet& packet);
  void release(LinkId link, const Packet& packet);

  /// Whether queues of this class at the egress port of which `link` is the ingress share a pool by a dynamic limit.
  bool limits_dynamically(LinkId link, u32 cls) const;
  /// Whether such a queue, which holds `queue_bytes`, may not take `bytes` more at `t`.
  bool refuses_best_effort(LinkId link, u32 cls, u64 queue_bytes, u64 bytes, TimePs t) const;
  void charge_best_effort(LinkId link, u32 cls, u64 bytes, TimePs t);
  void release_best_effort(LinkId link, u64 bytes);

  /// Forgets all pauses of the accounts of `link`, which has gone down.
  void link_goes_down(LinkId link);
  /// The slot sample at `t`; `ports[p]` is the node's egress port p, which carries the pause frames of ingress p.
  void sample(TimePs t, const std::vector<Transmitter>& ports);
  /// Bytes that a packet occupies here.
  u64 held(const Packet& packet) const;
  /// Whether bytes are held, or a neighbour is paused: the next slot must be sampled.
  bool busy() const;

 private:
  struct Account {
    u64 bytes = 0;
    bool pausing = false;
    u64 bytes_at_pause = 0;       // held at the slot that decided the pause
    TimePs latest_effect_ps = 0;  // last effect among the changes that were not lost
  };
  struct PoolUse {
    u64 bytes = 0;               // everything held
    u64 best_effort_bytes = 0;   // part of `bytes` in queues with a dynamic limit
    TimePs epoch_start_ps = -1;  // when `epoch_bytes` was taken
    u64 epoch_bytes = 0;         // bytes of the shared part: arrivals and starts before the epoch start
  };
  struct Admitted {
    TimePs epoch_start_ps = -1;
    u64 bytes = 0;
  };

  const IngressProfile& profile_of(LinkId link) const;
  u64 shared_use_bytes(u32 pool) const;
  u64 free_bytes(u32 pool, TimePs t) const;
  u64 xoff_bytes(LinkId link, TimePs t) const;
  u64 xon_bytes(LinkId link, u64 xoff) const;
  void decide(TimePs t, const Transmitter& port, LinkId link, u32 cls);

  Simulation& sim_;
  NodeId node_;
  std::map<LinkId, std::array<Account, kMaxClasses>> accounts_;  // ingress links with a profile
  std::map<u32, PoolUse> pools_;
  std::map<std::pair<LinkId, u32>, Admitted> admitted_;  // queues with a dynamic limit, in the latest epoch
};

}  // namespace heddle::oracle
