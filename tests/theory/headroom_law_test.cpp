// Headroom = bytes(lambda + phi + slot + one packet + the pause frame) + 2 packets (kernels/MODEL.md, 6.5): this is
// enough, and hardly more than needed. The test makes the worst case: the egress is stopped altogether (a receiver that
// drains 1 Gb/s pauses it), so that all packets of one 400G NIC after XOFF stay; and the pause frame has to wait for
// packets to that NIC on the way back. Posting at different instants tries every phase of the slot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/base/units.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::theory {
namespace {

using acceptance::world_of;

constexpr u32 kXoffBytes = 200'000, kMaxWire = 4096 + 118;
constexpr u32 kPhases = 24;

/// Host 1 sends to host 0, which drains slowly; host 2 sends to host 1 all the while, at the line rate.
World stopped_egress(u32 phase, u64 headroom_bytes) {
  return world_of(fmt::format(R"(
[simulation]
horizon = "60 us"
[topology]
kind = "star"
hosts = 3
[pfc]
allow_unsafe_headroom = true
[buffer.rtsw]
kind = "static"
bytes = "4 MB"
xoff = "{} B"
headroom = {}
[workload]
jitter_packets = 0
[[slow_receiver]]
endpoints = [0]
drain_rate = "1 Gb/s"
xoff = "4 KB"
xon = "1 KB"
[[message]]
src = 2
dst = 1
bytes = "10 MB"
[[message]]
src = 1
dst = 0
bytes = "2 MB"
post = "{} ps"
)",
                              kXoffBytes, headroom_bytes, 3'000'000 + phase * 4'001));
}

u64 overruns(u64 headroom_bytes) {
  u64 sum = 0;
  for (u32 phase = 0; phase < kPhases; ++phase) {
    Engine engine(stopped_egress(phase, headroom_bytes), {});
    while (engine.advance(kNever)) {
    }
    const Totals totals = engine.totals();
    EXPECT_GT(totals.pauses, 0u);
    EXPECT_EQ(totals.drops[0] + totals.drops[2], 0u);
    sum += totals.drops[1];
  }
  return sum;
}

TEST(HeadroomLaw, IsEnoughAndHardlyMore) {
  const World computed = stopped_egress(0, 0);
  const Link& up = computed.fabric.links[computed.fabric.nodes[1].first_link];
  const u64 law_bytes = computed.fabric.ingress.at(up.ingress).headroom_bytes;
  ASSERT_EQ(overruns(law_bytes), 0u) << "the law is not enough";
  u64 enough = law_bytes, too_little = law_bytes / 2;
  ASSERT_GT(overruns(too_little), 0u) << "half of it loses nothing: this is not the worst case";
  while (enough - too_little > 1) {
    const u64 middle = (enough + too_little) / 2;
    (overruns(middle) == 0 ? enough : too_little) = middle;
  }
  std::printf("  headroom by the law %u B; the least without loss in %u phases %u B, %u B less\n",
              static_cast<u32>(law_bytes), kPhases, static_cast<u32>(enough), static_cast<u32>(law_bytes - enough));
  EXPECT_GE(enough + 4 * kMaxWire, law_bytes) << "the law asks for much more than can arrive";
}

/// The terms of the law one by one: longer cables, slower slots and other rates change it as they should.
TEST(HeadroomLaw, TermsAddUp) {
  const auto headroom = [](const std::string& more) {
    const World world = world_of("[topology]\nkind = 'star'\nhosts = 3\n" + more);
    const Link& up = world.fabric.links[world.fabric.nodes[1].first_link];
    const Link& down = world.fabric.links[up.reverse];
    const TimePs open_ps = up.lambda_ps + down.phi_ps + (TimePs{1} << world.clocks.slot_log2_ps) +
                           ser_ps(kMaxWire, down.ps_per_byte_q16) + ser_ps(84, down.ps_per_byte_q16);
    const u64 law = bytes_in_ps(open_ps, up.ps_per_byte_q16) + 2 * kMaxWire;
    EXPECT_EQ(world.fabric.ingress.at(up.ingress).headroom_bytes - law, 0u) << more;
    return law;
  };
  const std::string static_buffer = "[buffer.rtsw]\nkind = 'static'\nbytes = '4 MB'\n";
  const u64 base = headroom(static_buffer);
  EXPECT_EQ(headroom(static_buffer + "[link]\nhost_propagation = '115 ns'\n") - base, 2 * 5'000u) << "20 m more";
  EXPECT_EQ(headroom(static_buffer + "[simulation]\nslot = '65536 ps'\n") - base, 1638u) << "32.768 ns more";
}

}  // namespace
}  // namespace heddle::theory
