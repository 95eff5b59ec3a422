// A switch's tables of flowlets: one for every ingress port and class, of a finite number of entries.
#pragma once

#include <map>
#include <tuple>

#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {

struct Flowlet {
  TimePs last_ps = -1;  // -1: none yet
  u64 choice = 0;       // what the policy makes of it

  bool goes_on(TimePs t, TimePs gap_ps) const { return last_ps >= 0 && t - last_ps < gap_ps; }
};

class FlowletTables {
 public:
  /// The entry to which the hash of the packet's five-tuple and destination QP leads.
  Flowlet& of(const Site& site, i64 entries) {
    u64 entry = site.flow_index(true, static_cast<u64>(entries));
    return entries_[{site.ingress_port, site.packet.cls, entry}];
  }

 private:
  std::map<std::tuple<u32, u32, u64>, Flowlet> entries_;
};

}  // namespace heddle::oracle
