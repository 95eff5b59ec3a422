#include "tests/kernels/skip/both_ways.hpp"

#include <gtest/gtest.h>

#include "host/build.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

Outcome outcome_of(Engine& engine) {
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

}  // namespace

u64 skipped_without_a_trace(const std::string& text) {
  const World world = build_world(load_config_text(text, "both ways"));
  Engine plain(world, {}), skipping(world, {.skips = true});
  const Outcome all = outcome_of(plain), some = outcome_of(skipping);
  EXPECT_EQ(some.end_ps, all.end_ps);
  EXPECT_EQ(some.reason, all.reason);
  EXPECT_EQ(some.event_digest, all.event_digest);
  EXPECT_EQ(some.digest, all.digest);
  u64 hops = 0;
  for (const Skip& skip : skipping.skips()) hops += skip.packet_hops;
  return hops;
}

}  // namespace heddle
