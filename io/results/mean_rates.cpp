#include "io/results/mean_rates.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"

namespace heddle {
namespace {

u64 mean_of(const World& world, LinkId link, TimePs end_ps) {
  const LinkState nominal = nominal_state(world.fabric.links[link]);
  LinkState state = nominal;
  TimePs from_ps = 0;
  double up_ps = 0, bits = 0;  // bits: times 1e12
  const auto add_until = [&](TimePs t) {
    const double ps = static_cast<double>(std::max<TimePs>(0, std::min(t, end_ps) - from_ps));
    from_ps = std::max(from_ps, t);
    if (!state.up()) return;
    up_ps += ps;
    bits += ps * static_cast<double>(bits_per_s_of(state.ps_per_byte_q16));
  };
  for (const LinkChange& change : world.failures.of(link)) {
    add_until(change.at_ps);
    state = change.state;
  }
  add_until(end_ps);
  return up_ps == 0 ? bits_per_s_of(nominal.ps_per_byte_q16) : static_cast<u64>(bits / up_ps);
}

}  // namespace

std::vector<u64> mean_bits_per_s(const World& world, TimePs end_ps) {
  std::vector<u64> rates;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) rates.push_back(mean_of(world, l, end_ps));
  return rates;
}

}  // namespace heddle
