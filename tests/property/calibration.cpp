#include "tests/property/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/acceleration/coarse_choice.hpp"
#include "host/acceleration/coarsen.hpp"
#include "host/error.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle::property {
namespace {

Outcome simulate(const World& fine, u32 mtus) {
  const World world = coarsened(fine, mtus);
  Engine engine(world, {.skips = true});
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

CalibratedWorld calibrate(const World& world, u32 mtus) {
  CalibratedWorld result;
  try {
    result.mtus_of_packet = choose_coarse(world, {.mode = "bounded", .coarse = mtus}, "world");
  } catch (const ConfigError& refusal) {
    result.refusal = refusal.what();
    return result;
  }
  const Outcome fine = simulate(world, 1), coarse = simulate(world, result.mtus_of_packet),
                coarser = simulate(world, 2 * result.mtus_of_packet);
  result.packet_hops = fine.totals.packet_hops;
  result.coarse_hops = coarse.totals.packet_hops + coarser.totals.packet_hops;
  result.pauses = fine.totals.pauses;
  const std::vector<TimeEstimate> truths = estimates_of(world, fine, fine, 1);
  for (const TimeEstimate& e : estimates_of(world, coarse, coarser, result.mtus_of_packet)) {
    const TimeEstimate* truth = find_estimate(truths, e.of, e.id);
    if (truth != nullptr) result.times.push_back({e, truth->coarse_ps});
  }
  return result;
}

void Calibration::add(const CalibratedWorld& world) {
  if (world.mtus_of_packet == 0) {
    ++refused_;
    return;
  }
  ++worlds_;
  hops_ += world.packet_hops;
  coarse_hops_ += world.coarse_hops;
  std::array<u64, 4> times{}, covered{};
  for (const Calibrated& time : world.times) {
    const auto of = static_cast<size_t>(time.estimate.of);
    ++times[of];
    covered[of] += time.covered();
    const double error = static_cast<double>(time.error_ps()) / static_cast<double>(std::max<TimePs>(time.truth_ps, 1));
    kinds_[of].worst = std::max(kinds_[of].worst, error);
    kinds_[of].errors.push_back(error);
    if (time.error_ps() > 0)
      kinds_[of].wider.push_back(static_cast<double>(time.estimate.error_ps) / static_cast<double>(time.error_ps()));
  }
  for (size_t of = 0; of < kinds_.size(); ++of) {
    if (times[of] == 0) continue;
    kinds_[of].times += times[of];
    kinds_[of].covered += covered[of];
    kinds_[of].shares += static_cast<double>(covered[of]) / static_cast<double>(times[of]);
    ++kinds_[of].worlds;
  }
}

double Calibration::covered_share() const {
  double shares = 0;
  u64 worlds = 0;
  for (const Kind& kind : kinds_) {
    shares += kind.shares;
    worlds += kind.worlds;
  }
  return worlds == 0 ? 1 : shares / static_cast<double>(worlds);
}

std::string Calibration::text() const {
  constexpr std::array kNames = {"collectives", "messages", "iterations", "runs"};
  std::string text = fmt::format("{} worlds, {} refused; {:.1f} times fewer packet-hops\n", worlds_, refused_,
                                 static_cast<double>(hops_) / static_cast<double>(std::max<u64>(coarse_hops_, 1)));
  for (size_t of = 0; of < kinds_.size(); ++of) {
    const Kind& kind = kinds_[of];
    if (kind.times == 0) continue;
    text += fmt::format(
        "{:<12} {:>8} times: {:.1f} % within their estimate ({:.1f} % by world); error median {:.3f} %, worst {:.2f} "
        "%; "
        "estimates {:.1f} times wider (median)\n",
        kNames[of], kind.times, 100.0 * static_cast<double>(kind.covered) / static_cast<double>(kind.times),
        100 * kind.shares / static_cast<double>(kind.worlds), 100 * middle(kind.errors), 100 * kind.worst,
        middle(kind.wider));
  }
  return text;
}

}  // namespace heddle::property
