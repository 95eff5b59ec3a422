#include "tests/property/near_end.hpp"

#include <algorithm>

#include "host/config/source.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/toml_tree.hpp"

namespace heddle::property {

namespace {

/// Time of the last event of a run that ends by itself.
TimePs last_event_ps(const Outcome& outcome) {
  TimePs last_ps = outcome.end_ps;
  for (const Event& event : outcome.events) last_ps = std::max(last_ps, event.time_ps);
  return last_ps;
}

}  // namespace

void end_near_its_end(u64 seed, WorldCase& world_case) {
  const World world = build(world_case);
  const Outcome outcome = simulate(world, {.trace = true, .recorded_kinds = ~0u});
  Draw draw(seed, "horizon");
  if (outcome.reason == EndReason::horizon) return;
  if (outcome.reason == EndReason::complete && !draw.percent(20)) return;  // the most frequent case, and the simplest
  const TimePs tick_ps = world.clocks.tick_ps, last_ps = last_event_ps(outcome);
  const TimePs first_ps = std::max<TimePs>(last_ps - tick_ps, 1);
  const TimePs horizon_ps =
      first_ps + static_cast<TimePs>(draw.below(static_cast<u64>(last_ps + 2 * tick_ps - first_ps)));
  toml::table root = read_toml_text(world_case.toml, world_case.name);
  root["simulation"].as_table()->insert_or_assign("horizon", std::to_string(horizon_ps) + " ps");
  world_case.toml = text_of(root);
}

}  // namespace heddle::property
