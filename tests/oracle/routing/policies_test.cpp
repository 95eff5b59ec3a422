#include "tests/oracle/routing/policies.hpp"

#include <gtest/gtest.h>

#include "kernels/routing/policy_info.hpp"

namespace heddle::oracle {
namespace {

TEST(RoutingPolicies, TheOracleKnowsEachOne) {
  for (const PolicyInfo& policy : routing_policies()) {
    EXPECT_NE(find_policy(policy.name), nullptr)
        << "kernels/routing/policies.hpp has the policy '" << policy.name
        << "', which nothing confirms: write it a second time, plainly, in tests/oracle/routing";
  }
  EXPECT_EQ(find_policy("no_such"), nullptr);
  EXPECT_THROW(policy_named("no_such"), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::oracle
