// The actual links over which a queue pair's packets travel.
#pragma once

#include <vector>

#include "kernels/state/model.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

enum class Way : u8 { data, answers };  // from Qp::src to Qp::dst; their ACKs, NAKs, CNPs and CTSs, back

/// A link that packets of a queue pair take.
struct Hop {
  LinkId link;
  double share;  // of the packets: 1, unless a policy is multipath, or NICs spread packets over their ports
  u32 port;      // of the NICs, by which these packets leave and arrive
};

/// Asks the policies of the switches. A multipath one (PolicyInfo::multipath) is taken to use all equal next hops
/// alike, and a NIC that chooses ports by packet all ports. One for many queue pairs of a World.
class QpPaths {
 public:
  explicit QpPaths(const World& world);
  /// The hops from NIC to NIC, in order, of one port after the other; empty where the routes do not lead there. Valid
  /// until the next call.
  const std::vector<Hop>& hops(const Qp& qp, Way way);

 private:
  /// A switch, the port by which packets come there (one of them, after a multipath policy), and their share.
  struct Reached {
    NodeId at;
    u32 port;
    double share;
  };
  bool add_hops(const Qp& qp, Way way, u32 port, double share);
  bool leave(const Reached& from, const Qp& qp, Way way);
  bool leave_by(const Reached& from, u32 port, double share);
  u32 path_port(NodeId at, const Qp& qp, Way way) const;
  u32 chosen_port(const Reached& at, const Qp& qp, Way way);

  const World& world_;
  Model model_;
  Tally not_counted_;
  u32 nic_port_ = 0;  // by which the packets that are followed leave
  std::vector<Hop> hops_;
  std::vector<Reached> here_, next_;  // switches at the current and the next hop
};

}  // namespace heddle
