// Chooses by a hash of the five-tuple and the destination QP.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class EEcmp : public Policy {
  u32 choose(const RouteContext& context) override {
    return context.next_hops()[context.flow_index(true, context.next_hops().size())];
  }
};

}  // namespace

std::unique_ptr<Policy> make_e_ecmp() { return std::make_unique<EEcmp>(); }

}  // namespace heddle::oracle
