// Launch parameters of a GPU backend: read whole, within their bounds, or refused with a reason.
#include "kernels/backends/gpu/launch_parameters.hpp"

#include "tests/thrown.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace heddle {
namespace {

std::string refusal_of(const std::string& text) {
  return test::message_of<std::invalid_argument>([&] { launch_parameters(text, "--launch"); });
}

TEST(LaunchParameters, AreWhatIsNamedAndElseTheirDefaults) {
  EXPECT_EQ(launch_parameters("", "--launch"), LaunchParameters());
  const LaunchParameters some = launch_parameters("team_ports=68,small_threads=64", "--launch");
  EXPECT_EQ(some.team_ports, 68u);
  EXPECT_EQ(some.small_threads, 64u);
  EXPECT_EQ(some.big_threads, LaunchParameters().big_threads);
  EXPECT_EQ(launch_parameters(text_of(some), "--launch"), some);
}

TEST(LaunchParameters, DefaultsLieWithinTheirBounds) {
  EXPECT_EQ(launch_parameters(text_of({}), "--launch"), LaunchParameters());
}

TEST(LaunchParameters, BoundsAreKept) {
  for (const LaunchParameter& p : kLaunchParameters) {
    const std::string name = std::string(p.name) + "=";
    for (const u32 good : {p.least, p.most}) EXPECT_EQ(refusal_of(name + std::to_string(good)), "");
    for (const u32 bad : {p.least - 1, p.most + p.multiple_of})
      EXPECT_NE(refusal_of(name + std::to_string(bad)).find("must be from " + std::to_string(p.least)),
                std::string::npos)
          << p.name << " " << bad;
  }
  EXPECT_NE(refusal_of("big_threads=100").find("in steps of 32"), std::string::npos);
}

TEST(LaunchParameters, WhatIsNoneIsRefused) {
  EXPECT_EQ(refusal_of("threads=64").find("--launch: \"threads=64\" is no launch parameter; give name=value,... of "),
            0u);
  EXPECT_NE(refusal_of("small_threads").find("is no name=value"), std::string::npos);
  EXPECT_NE(refusal_of("small_threads=64,").find("ends with a comma"), std::string::npos);
  for (const char* value : {"", "x", "64x", "-64", "1e2", "99999999999"})
    EXPECT_NE(refusal_of(std::string("small_threads=") + value).find("must be from 0 to 384"), std::string::npos)
        << value;
}

/// An H100 has 132 multiprocessors.
TEST(LaunchParameters, SomeGoByTheSizeOfTheFabric) {
  EXPECT_EQ(small_threads_for(64, 132), 128u);
  EXPECT_EQ(small_threads_for(1536, 132), 64u);
  EXPECT_EQ(endpoint_lanes_for(1, 132), 1u);
  EXPECT_EQ(endpoint_lanes_for(1024, 132), 2u);
  EXPECT_EQ(endpoint_lanes_for(24'576, 132), 32u);
  EXPECT_EQ(endpoint_lanes_for(1'000'000, 132), 32u);
}

TEST(LaunchParameters, OfTheEnvironment) {
  setenv(kLaunchVariable, "graph_ticks=8", 1);
  EXPECT_EQ(launch_parameters_of_environment().graph_ticks, 8u);
  setenv(kLaunchVariable, "graph_ticks=0", 1);
  EXPECT_THROW(launch_parameters_of_environment(), std::invalid_argument);
  unsetenv(kLaunchVariable);
  EXPECT_EQ(launch_parameters_of_environment(), LaunchParameters());
}

}  // namespace
}  // namespace heddle
