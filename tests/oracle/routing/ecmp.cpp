// The five-tuple's hash.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Ecmp : public Policy {
  u32 choose(const Site& site) override { return site.next_hops()[site.flow_index(false, site.next_hops().size())]; }
};

}  // namespace

std::unique_ptr<Policy> make_ecmp() { return std::make_unique<Ecmp>(); }

}  // namespace heddle::oracle
