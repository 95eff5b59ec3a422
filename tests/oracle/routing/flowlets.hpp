// A switch's tables of flowlets: one for every ingress port and class, of a finite number of entries.
#pragma once

#include <map>
#include <tuple>

#include "kernels/outcome/outcome.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {

struct Flowlet {
  TimePs last_ps = -1;  // -1: none yet
  u64 choice = 0;       // meaning defined by the policy
  u64 flow = 0;         // flow of the last packet
  u32 port = 0;         // egress port of the last packet

  bool goes_on(TimePs t, TimePs gap_ps) const { return last_ps >= 0 && t - last_ps < gap_ps; }

  /// The packet leaves by `by`. Counts flowlets, collisions and path changes.
  void take(const RouteContext& context, TimePs gap_ps, u32 by) {
    bool choosable = context.next_hops().size() > 1, same_flow = last_ps >= 0 && flow == context.flow_tag();
    context.totals->flowlets += choosable && !goes_on(context.t, gap_ps);
    context.totals->flowlet_collisions += choosable && goes_on(context.t, gap_ps) && !same_flow;
    context.totals->path_changes += same_flow && port != by;
    last_ps = context.t;
    flow = context.flow_tag();
    port = by;
  }
};

class FlowletTables {
 public:
  /// Returns the entry that the hash of the packet's five-tuple and destination QP selects.
  Flowlet& of(const RouteContext& context, i64 entries) {
    u64 entry = context.flow_index(true, static_cast<u64>(entries));
    return entries_[{context.ingress_port, context.packet.cls, entry}];
  }

 private:
  std::map<std::tuple<u32, u32, u64>, Flowlet> entries_;
};

}  // namespace heddle::oracle
