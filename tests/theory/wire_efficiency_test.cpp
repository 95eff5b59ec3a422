// Goodput is payload / (payload + headers) of the line rate, whatever the fabric: 97.57 % for 4 KiB packets over IPv6.
// A second message of n full packets behind the first takes n serialisations more, to the picosecond.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/base/units.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::theory {
namespace {

using acceptance::run_engine;
using acceptance::world_of;

struct Headers {
  const char* name;
  u32 mtu, overhead;
  double efficiency;
};

void PrintTo(const Headers& h, std::ostream* out) { *out << h.name; }

class WireEfficiency : public testing::TestWithParam<Headers> {};

TEST_P(WireEfficiency, IsThePayloadShare) {
  const Headers& h = GetParam();
  const u32 packets = 1000;
  const auto received_ps = [&](u32 n) {
    const Outcome outcome = run_engine(world_of(
        fmt::format("[topology]\nkind = 'ai_zone'\nracks = 2\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = "
                    "2\n[roce]\nmtu = {}\n"
                    "data_overhead = {}\n[workload]\njitter_packets = 0\n[[message]]\nsrc = 0\ndst = 3\nbytes = {}\n",
                    h.mtu, h.overhead, static_cast<u64>(n) * h.mtu)));
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    return outcome.messages[0].received_ps;
  };
  const TimePs more_ps = received_ps(2 * packets) - received_ps(packets);
  EXPECT_EQ(more_ps, packets * ser_ps(h.mtu + h.overhead, acceptance::kSpeed400G));
  const double goodput_bytes_per_ps = static_cast<double>(packets) * h.mtu / static_cast<double>(more_ps);
  EXPECT_NEAR(goodput_bytes_per_ps * 20, h.efficiency, 0.00005);
}

INSTANTIATE_TEST_SUITE_P(Headers, WireEfficiency,
                         testing::Values(Headers{"ipv6_4096", 4096, 102, 0.9757},
                                         Headers{"ipv4_4096", 4096, 82, 0.9804},
                                         Headers{"ipv6_1024", 1024, 102, 0.9094},
                                         Headers{"infiniband_4096", 4096, 26, 0.9937}),
                         [](const auto& headers) { return std::string(headers.param.name); });

}  // namespace
}  // namespace heddle::theory
