#include "tests/oracle/congestion/controls.hpp"

#include <gtest/gtest.h>

#include "kernels/congestion/control_info.hpp"

namespace heddle::oracle {
namespace {

TEST(CongestionControls, TheOracleKnowsEachOne) {
  EXPECT_FALSE(congestion_controls().empty());
  for (const ControlInfo& control : congestion_controls()) {
    const KnownControl* known = find_control(control.name);
    ASSERT_NE(known, nullptr)
        << "kernels/congestion/controls.hpp has the control '" << control.name
        << "', which nothing confirms: write it a second time, plainly, in tests/oracle/congestion";
    EXPECT_EQ(known->uses_cnps, control.uses_cnps) << control.name;
  }
  EXPECT_EQ(find_control("no_such"), nullptr);
  EXPECT_THROW(known_control(Congestion{.control = "no_such", .parameters = {}}), std::invalid_argument);
  EXPECT_EQ(known_control(Congestion{}), nullptr);
}

}  // namespace
}  // namespace heddle::oracle
