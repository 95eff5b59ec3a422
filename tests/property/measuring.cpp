#include "tests/property/measuring.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "host/controller/measured.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/ranks.hpp"

namespace heddle::property {
namespace {

EngineOptions options() {
  EngineOptions options;
  options.trace = true;
  options.memory_limit_bytes = 64 << 20;
  return options;
}

/// True: it stands at the controller's next instant, before what happens there.
bool advance_to_solution(RankedEngine& engine, const MeasuringController& controller) {
  while (engine.advance(controller.next_ps())) {
    if (engine.now_ps() >= controller.next_ps()) return engine.can_save();
  }
  return false;
}

/// Each rank has a World of its own, as processes do.
Outcome run_in(u32 ranks, const World& world) {
  const auto run = [&](RankedEngine& engine) {
    World own = world;
    MeasuringController controller(own);
    while (advance_to_solution(engine, controller)) controller.solve(engine);
    return engine.outcome();
  };
  if (ranks > 1) return in_ranks(world, options(), random_cut(world, ranks, ranks), run);
  RankedEngine engine(world, options());
  return run(engine);
}

/// After every solution another engine and another controller go on.
Outcome run_saved(const World& world) {
  std::vector<u64> of_controller, of_engine;
  TimePs now_ps = 0;
  for (;;) {
    World own = world;
    MeasuringController controller(own);
    if (!of_controller.empty()) controller.restore(of_controller);
    RankedEngine engine(own, options());
    if (!of_engine.empty()) {
      engine.load(of_engine);
      engine.go_on_at(now_ps);
    }
    if (!advance_to_solution(engine, controller)) return engine.outcome();
    controller.solve(engine);
    of_controller = controller.words();
    of_engine.clear();
    engine.save([&](std::span<const u64> block) { of_engine.insert(of_engine.end(), block.begin(), block.end()); });
    now_ps = engine.now_ps();
  }
}

std::string difference(const std::string& how, const Outcome& told, const Outcome& measured) {
  if (measured.reason == told.reason && measured.end_ps == told.end_ps && measured.event_digest == told.event_digest)
    return {};
  return fmt::format("{}: ends at {} with the event digest {:016x}; told beforehand, at {} with {:016x}\n", how,
                     measured.end_ps, measured.event_digest, told.end_ps, told.event_digest);
}

}  // namespace

World told_beforehand(const World& world) {
  World told = world, own = world;
  MeasuringController controller(own);
  RankedEngine engine(own, options());
  while (advance_to_solution(engine, controller)) {
    controller.solve(engine);
    const std::vector<RouteEntries>&now = own.routing.controller, &all = told.routing.controller;
    if (now.empty() || (!all.empty() && now.back().from_ps == all.back().from_ps)) continue;
    told.routing.controller.push_back(now.back());
  }
  return told;
}

std::string difference_of_measuring(const World& world, const Outcome& told) {
  std::string text;
  for (u32 ranks = 1; ranks <= 3; ++ranks)
    text += difference(fmt::format("measuring, {} ranks", ranks), told, run_in(ranks, world));
  return text + difference("measuring, saved after every solution", told, run_saved(world));
}

}  // namespace heddle::property
