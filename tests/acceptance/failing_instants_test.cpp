// Cables that fail, slow down and recover at the instant of an event: engine and oracle have the same result.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/base/units.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

/// 4 GPUs on a switch. Three send to the first, so that the switch pauses them.
std::string incast(const std::string& horizon = "60 us") {
  std::string text = fmt::format(
      "[simulation]\nhorizon = '{}'\n[topology]\nkind = 'star'\nhosts = 4\n[dcqcn]\nenabled = false\n[roce]\n"
      "rto = '40 us'\n[buffer.rtsw]\nkind = 'static'\nbytes = '4 MB'\nxoff = '40 KB'\nxon = '20 KB'\n[failures]\n"
      "detect = 0\nconverge = 0\n",
      horizon);
  for (u32 src = 1; src < 4; ++src) text += fmt::format("[[message]]\nsrc = {}\ndst = 0\nbytes = 400000\n", src);
  return text;
}

/// incast(), in which the senders also send to each other, so that the switch's transmitters towards them are busy.
std::string both_ways(const std::string& horizon = "60 us") {
  std::string text = incast(horizon);
  for (const auto& [src, dst] : {std::pair(2, 1), {3, 2}, {1, 3}})
    text += fmt::format("[[message]]\nsrc = {}\ndst = {}\nbytes = 400000\n", src, dst);
  return text;
}

std::string failure(u32 gpu, TimePs at_ps, TimePs until_ps, const std::string& kind = "") {
  return fmt::format("[[failure]]\nlink = ['gpu{}', 'switch0']\nat = '{} ps'\nuntil = '{} ps'\n{}", gpu, at_ps,
                     until_ps, kind);
}

const char* const kSlow = "kind = 'rate'\nrate = '25 Gb/s'\n";
const char* const kCrawls = "kind = 'rate'\nrate = '125 Mb/s'\n";

void expect_equal(const std::string& text) {
  const World world = world_of(text);
  const Outcome engine = run_engine(world), oracle = simulate(world, {});
  EXPECT_EQ(engine.reason, oracle.reason) << text;
  EXPECT_EQ(engine.end_ps, oracle.end_ps) << text;
  EXPECT_EQ(engine.event_digest, oracle.event_digest) << text;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    EXPECT_EQ(engine.links[l].sent_bytes, oracle.links[l].sent_bytes) << "link " << l << "\n" << text;
    EXPECT_EQ(engine.links[l].paused_ps, oracle.links[l].paused_ps) << "link " << l << "\n" << text;
  }
}

/// Returns pauses and resumes of the GPUs' cables: (GPU, time of the switch's decision).
std::vector<std::pair<u32, TimePs>> pauses(const World& world) {
  std::vector<std::pair<u32, TimePs>> all;
  for (const Event& e : simulate(world, {.recorded_kinds = kinds({EventKind::pause, EventKind::resume})}).events) {
    const Link& link = world.fabric.links[world.fabric.nodes[e.node].first_link + e.port];
    all.emplace_back(link.dst, e.time_ps);
  }
  return all;
}

TEST(FailingInstants, APauseTakesEffect) {
  const World world = world_of(incast());
  const auto all = pauses(world);
  ASSERT_GE(all.size(), 6u);
  const Link& down = world.fabric.links[world.fabric.nodes[4].first_link];
  const TimePs travels_ps = ser_ps(kPauseWireBytes, down.ps_per_byte_q16) + down.phi_ps;
  for (size_t i = 0; i < 6; ++i) {
    const auto& [gpu, decided_ps] = all[i];
    for (const TimePs beside_ps : {-1, 0, 1}) {
      const TimePs at_ps = decided_ps + travels_ps + beside_ps;
      expect_equal(incast() + failure(gpu, at_ps, at_ps + 2'000'000));
    }
  }
}

/// A PAUSE frame takes 5 us. Meanwhile the switch decides the RESUME and the cable is fast again: the RESUME waits for
/// the PAUSE.
TEST(FailingInstants, APauseLeavesWhileTheCableIsSlow) {
  const auto all = pauses(world_of(incast()));
  ASSERT_GE(all.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    const auto& [gpu, decided_ps] = all[i];
    for (const TimePs after_ps : {1, 100'000, 2'000'000})
      expect_equal(incast() + failure(gpu, decided_ps - 1, decided_ps + after_ps, kCrawls));
  }
}

/// The packet on the transmitter is lost, or continues at the speed at which it started; a pause waits for its end.
TEST(FailingInstants, APauseIsDecidedBehindAPacketFromBefore) {
  const auto all = pauses(world_of(both_ways()));
  for (size_t i = 0; i < 6; ++i) {
    const auto& [gpu, decided_ps] = all[i];
    for (const TimePs before_ps : {20'000, 40'000, 60'000}) {
      expect_equal(both_ways() + failure(gpu, decided_ps - before_ps, decided_ps - before_ps + 10'000));
      expect_equal(both_ways() + failure(gpu, decided_ps - 3'000'000, decided_ps - before_ps, kSlow));
      expect_equal(both_ways() + failure(gpu, decided_ps - before_ps, decided_ps + 3'000'000, kSlow));
    }
  }
}

/// A pause frame waits for the end of a damaged packet, too, though that is on no wire.
TEST(FailingInstants, APauseIsDecidedBehindADamagedPacket) {
  std::string text = both_ways("400 us");
  const auto change = [&](const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  change("[roce]\n", "[roce]\nrecovery = 'selective_repeat'\n");
  change("bytes = 400000\n", "bytes = 4000000\n");
  change("xon = '20 KB'", "xon = '36 KB'");  // many pauses
  for (u32 gpu = 1; gpu < 4; ++gpu)
    expect_equal(text + failure(gpu, 1'000'000, 400'000'000, "kind = 'bit_errors'\nbit_error_rate = 3e-6\n"));
}

/// The bytes that have left by the horizon of a packet that started at another speed.
TEST(FailingInstants, TheHorizonComesInAPacketFromBefore) {
  for (TimePs at_ps = 5'000'000; at_ps < 5'200'000; at_ps += 23'000) {
    for (const TimePs after_ps : {7'000, 30'000, 200'000}) {
      const std::string text = both_ways(fmt::format("{} ps", at_ps + after_ps));
      expect_equal(text + failure(2, at_ps, 9'000'000, kSlow));
      expect_equal(text + failure(2, 1'000'000, at_ps, kSlow));
    }
  }
}

TEST(FailingInstants, ARunIsSaved) {
  constexpr TimePs kAt = 7'000'000, kUntil = 9'000'000;
  for (const std::string& kind : {std::string(), std::string(kSlow)}) {
    const World world = world_of(both_ways() + failure(2, kAt, kUntil, kind));
    const Outcome whole = run_engine(world);
    for (const TimePs at_ps : {kAt - 1, kAt, kAt + 1, kUntil - 1, kUntil, kUntil + 1}) {
      const Outcome outcome = run_restarted(world, at_ps);
      EXPECT_EQ(outcome.event_digest, whole.event_digest) << kind << at_ps;
      EXPECT_EQ(outcome.end_ps, whole.end_ps) << kind << at_ps;
    }
  }
}

/// The restart keeps the time at which the pause of a slow cable takes effect: its RESUME must not take effect earlier.
TEST(FailingInstants, ARunIsSavedBetweenAPauseAndItsEnd) {
  const auto all = pauses(world_of(incast()));
  ASSERT_GE(all.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    const auto& [gpu, decided_ps] = all[i];
    const World world = world_of(incast() + failure(gpu, decided_ps - 1, decided_ps + 1, kCrawls));
    const Outcome whole = run_engine(world);
    for (const TimePs after_ps : {2, 40'000, 400'000, 1'000'000}) {
      const Outcome outcome = run_restarted(world, decided_ps + after_ps);
      EXPECT_EQ(outcome.event_digest, whole.event_digest) << gpu << " " << decided_ps << " " << after_ps;
      for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
        EXPECT_EQ(outcome.links[l].paused_ps, whole.links[l].paused_ps);
        EXPECT_LE(whole.links[l].paused_ps, static_cast<u64>(whole.end_ps));
      }
    }
  }
}

}  // namespace
}  // namespace heddle::acceptance
