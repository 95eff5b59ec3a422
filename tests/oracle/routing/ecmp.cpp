// Chooses by the five-tuple's hash.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Ecmp : public Policy {
  u32 choose(const RouteContext& context) override {
    return context.next_hops()[context.flow_index(false, context.next_hops().size())];
  }
};

}  // namespace

std::unique_ptr<Policy> make_ecmp() { return std::make_unique<Ecmp>(); }

}  // namespace heddle::oracle
