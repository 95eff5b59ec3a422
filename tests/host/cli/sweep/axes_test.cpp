// The values of an axis, as they are written on the command line.
#include "host/cli/sweep/axes.hpp"

#include <gtest/gtest.h>

#include "host/base/error.hpp"
#include "host/cli/sweep/range.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

using Values = std::vector<std::string>;
using Rows = std::vector<Values>;

std::string why_not(const std::string& argument) {
  return test::message_of<ConfigError>([&] { axis_of(argument); });
}

TEST(SweepRange, IsExact) {
  EXPECT_EQ(range_of("1..5", 10), (Values{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(range_of("-1..1", 10), (Values{"-1", "0", "1"}));
  EXPECT_EQ(range_of("2..8:3", 10), (Values{"2", "5", "8"}));
  EXPECT_EQ(range_of("0.1..0.5:0.1", 10), (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(range_of("-0.05..0.05:0.05", 10), (Values{"-0.05", "0.00", "0.05"}));
  EXPECT_EQ(range_of("1..2:0.25", 10), (Values{"1.00", "1.25", "1.50", "1.75", "2.00"}));
  EXPECT_EQ(range_of("10 us..30 us:10 us", 10), (Values{"10 us", "20 us", "30 us"}));
  EXPECT_EQ(range_of("\"1.5 us\"..\"2 us\":\"0.5 us\"", 10), (Values{"1.5 us", "2.0 us"}));
  EXPECT_EQ(range_of("100Gb/s..300Gb/s:100Gb/s", 10), (Values{"100 Gb/s", "200 Gb/s", "300 Gb/s"}));
}

TEST(SweepRange, LeavesOtherValuesAlone) {
  for (const char* text : {"5", "e_ecmp", "../flows.txt", "a..b", "\"1..2\"", "[1,2]"})
    EXPECT_FALSE(range_of(text, 10)) << text;
}

TEST(SweepRange, RefusesWhatCannotBe) {
  for (const char* text : {"0.1..0.5", "1 us..5 us", "1 us..5 ns:1 us", "1 us..5 us:1", "3..1", "0..1:0", "0..1:-1",
                           "0.1..0.5:0.3", "1..", "1..x", "1..2:x", "1...5", "0..10", "1e-1..5e-1:1e-1", "true..false",
                           "-1x..5", "1..2:0.000000000000000000001", "0..9223372036854775807"}) {
    EXPECT_THROW(range_of(text, 10), ConfigError) << text;
  }
}

TEST(SweepAxes, OneKey) {
  EXPECT_EQ(axis_of("a.b=true,false").values, (Rows{{"true"}, {"false"}}));
  EXPECT_EQ(axis_of("a.b = 1..3,7").values, (Rows{{"1"}, {"2"}, {"3"}, {"7"}}));
  EXPECT_EQ(axis_of("a.b=[\"x,y\",\"z\"],w").values, (Rows{{"[\"x,y\",\"z\"]"}, {"w"}}));
  EXPECT_EQ(axis_of("a.b=x:y").values, (Rows{{"x:y"}})) << "a colon means something between linked values only";
  EXPECT_NE(why_not("a.b=1..3,2").find("2 is there twice"), std::string::npos);
}

TEST(SweepAxes, LinkedKeysChangeTogether) {
  const Axis axis = axis_of("a.b+c.d=18:16,9:8,4");
  EXPECT_EQ(axis.keys, (Values{"a.b", "c.d"}));
  EXPECT_EQ(axis.values, (Rows{{"18", "16"}, {"9", "8"}, {"4", "4"}}));
  EXPECT_EQ(axis_of("a.b+c.d=1..2").values, (Rows{{"1", "1"}, {"2", "2"}}));
  EXPECT_EQ(axis_of("a.b+c.d=\"x:y\":z").values, (Rows{{"\"x:y\"", "z"}}));
  EXPECT_NE(why_not("a.b+c.d=1:2:3").find("1:2:3 has 3 values for 2 keys"), std::string::npos);
  EXPECT_NE(why_not("a.b+c.d+e.f=1:2").find("1:2 has 2 values for 3 keys"), std::string::npos);
  EXPECT_NE(why_not("a.b+c.d=1:").find("a value is empty"), std::string::npos);
  EXPECT_NE(why_not("a.b+=1").find("a key is empty"), std::string::npos);
  EXPECT_NE(why_not("a.b+c.d=1,1:1").find("1:1 is there twice"), std::string::npos);
}

TEST(SweepAxes, EveryCombinationTheLastAxisFastest) {
  const std::vector<Axis> axes = axes_of({"a.b+c.d=1:2,3:4", "e.f=x,y"}, {"g.h=5"});
  EXPECT_EQ(runs_of(axes), 4u);
  EXPECT_EQ(keys_of(axes), (Values{"a.b", "c.d", "e.f"}));
  EXPECT_EQ(combination(axes, 0), (Values{"1", "2", "x"}));
  EXPECT_EQ(combination(axes, 1), (Values{"1", "2", "y"}));
  EXPECT_EQ(combination(axes, 3), (Values{"3", "4", "y"}));
}

TEST(SweepAxes, AKeyHasOneSource) {
  EXPECT_THROW(axes_of({"a.b=1,2", "c.d+a.b=3,4"}, {}), ConfigError);
  EXPECT_THROW(axes_of({"a.b+a.b=3,4"}, {}), ConfigError);
  EXPECT_THROW(axes_of({"a.b.0=1,2", "a.b=[1],[2]"}, {}), ConfigError) << "the second replaces what the first has set";
  EXPECT_NO_THROW(axes_of({"a.b=[1],[2]", "a.b.0=1,2"}, {}));
  EXPECT_THROW(axes_of({"a.b=[1],[2]"}, {"a.b.0=3"}), ConfigError);
  EXPECT_THROW(axes_of({"a.00.b=1,2"}, {" a.0.b = 3"}), ConfigError);
  EXPECT_NO_THROW(axes_of({"a.b.0=1,2"}, {"a.b=[3]"}));
  EXPECT_NO_THROW(axes_of({"a.b=1,2"}, {"a.bc=3"}));
}

}  // namespace
}  // namespace heddle
