#include "tests/property/measuring.hpp"

#include <fmt/format.h>

#include <vector>

#include "host/scenario/controller/measured.hpp"
#include "tests/property/compare.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/ranks.hpp"

namespace heddle::property {
namespace {

EngineOptions options_on(Device device) {
  EngineOptions options;
  options.device = device;
  options.trace = true;
  options.memory_limit_bytes = 64 << 20;
  return options;
}

/// Returns true when the engine is at the controller's next instant, before the events there.
bool advance_to_solution(RankedEngine& engine, const MeasuringController& controller) {
  while (engine.advance(controller.next_ps())) {
    if (engine.now_ps() >= controller.next_ps()) return engine.can_save();
  }
  return false;
}

/// Each rank has a World of its own, as processes have.
Outcome run_in(u32 ranks, const World& world, const EngineOptions& options) {
  const auto run = [&](RankedEngine& engine) {
    World own = world;
    MeasuringController controller(own);
    while (advance_to_solution(engine, controller)) controller.solve(engine);
    return engine.outcome();
  };
  if (ranks > 1) return in_ranks(world, options, random_cut(world, ranks, ranks), run);
  RankedEngine engine(world, options);
  return run(engine);
}

/// After every solution another engine and another controller resume the run.
Outcome run_saved(const World& world, const EngineOptions& options) {
  std::vector<u64> of_controller, of_engine;
  TimePs now_ps = 0;
  for (;;) {
    World own = world;
    MeasuringController controller(own);
    if (!of_controller.empty()) controller.restore(of_controller);
    RankedEngine engine(own, options);
    if (!of_engine.empty()) {
      engine.load(of_engine);
      engine.go_on_at(now_ps);
    }
    if (!advance_to_solution(engine, controller)) return engine.outcome();
    controller.solve(engine);
    of_controller = controller.words();
    of_engine = saved(engine);
    now_ps = engine.now_ps();
  }
}

std::string difference(const std::string& how, const Outcome& told, const Outcome& measured) {
  std::string text = differences(told, measured);
  if (told.digest != measured.digest) text += "  the digest of the result differs\n";
  return text.empty() ? text : how + ", here called engine; told beforehand, here called oracle:\n" + text;
}

}  // namespace

World told_beforehand(const World& world) {
  World told = world, own = world;
  MeasuringController controller(own);
  RankedEngine engine(own, options_on(Device::cpu));
  while (advance_to_solution(engine, controller)) {
    controller.solve(engine);
    const std::vector<RouteEntries>&now = own.routing.controller, &all = told.routing.controller;
    if (now.empty() || (!all.empty() && now.back().from_ps == all.back().from_ps)) continue;
    told.routing.controller.push_back(now.back());
  }
  return told;
}

std::string difference_of_measuring(const World& world, const World& told, Device device) {
  const EngineOptions options = options_on(device);
  RankedEngine engine(told, options_on(Device::cpu));
  while (engine.advance(kNever)) {
  }
  const Outcome expected = engine.outcome();
  std::string text;
  for (u32 ranks = 1; ranks <= 3; ++ranks)
    text += difference(fmt::format("measuring, {} ranks", ranks), expected, run_in(ranks, world, options));
  return text + difference("measuring, saved after every solution", expected, run_saved(world, options));
}

}  // namespace heddle::property
