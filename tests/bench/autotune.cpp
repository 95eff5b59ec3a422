#include "tests/bench/autotune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace heddle::bench {
namespace {

class Search {
 public:
  Search(const Tried& measure, const std::function<void(const Try&)>& each) : measure_(measure), each_(each) {
    try_it(LaunchParameters());
  }

  /// All combinations of some values of two parameters, or some of one; the others as the best so far has them.
  void vary(u32 LaunchParameters::*first, const std::vector<u32>& firsts, u32 LaunchParameters::*second,
            const std::vector<u32>& seconds) {
    const LaunchParameters base = tuned_.best;
    for (const u32 a : firsts) {
      for (const u32 b : seconds) {
        LaunchParameters launch = base;
        launch.*first = a;
        launch.*second = b;
        try_it(launch);
      }
    }
  }
  void vary(u32 LaunchParameters::*parameter, const std::vector<u32>& values) {
    const LaunchParameters base = tuned_.best;
    for (const u32 value : values) {
      LaunchParameters launch = base;
      launch.*parameter = value;
      try_it(launch);
    }
  }

  Tuned done() { return std::move(tuned_); }

 private:
  void try_it(const LaunchParameters& launch) {
    const auto same = [&](const Try& t) { return t.launch == launch; };
    if (std::any_of(tuned_.tries.begin(), tuned_.tries.end(), same)) return;
    tuned_.tries.push_back({launch, measure_(launch)});
    const Measurement &first = tuned_.tries.front().measured, &last = tuned_.tries.back().measured;
    if (last.digest != first.digest || last.state_digest != first.state_digest)
      throw std::runtime_error(
          fmt::format("the launch {} gave other bits than the default one: this is a defect", text_of(launch)));
    each_(tuned_.tries.back());
    if (tuned_.tries.size() == 1 || last.wall_s < best_s_) {
      best_s_ = last.wall_s;
      tuned_.best = launch;
    }
  }

  const Tried& measure_;
  const std::function<void(const Try&)>& each_;
  Tuned tuned_;
  double best_s_ = 0;
};

}  // namespace

Tuned tune(const Tried& measure, const std::function<void(const Try&)>& each) {
  Search search(measure, each);
  // ports of a rack switch: 34; so 1 to 3 of them a block
  search.vary(&LaunchParameters::small_threads, {64, 128, 256}, &LaunchParameters::team_ports, {34, 68, 112});
  search.vary(&LaunchParameters::big_threads, {128, 256, 384});
  search.vary(&LaunchParameters::endpoint_lanes, {1, 2, 4, 8, 16, 32});
  search.vary(&LaunchParameters::graph_ticks, {32, 128});
  search.vary(&LaunchParameters::by_ports, {0, 1}, &LaunchParameters::phases, {0, 1});
  return search.done();
}

}  // namespace heddle::bench
