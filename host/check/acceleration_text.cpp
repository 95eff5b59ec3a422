#include "host/check/acceleration_text.hpp"

#include <fmt/format.h>

#include "host/acceleration/coarse_choice.hpp"
#include "host/acceleration/coarsen.hpp"
#include "host/check/cost.hpp"

namespace heddle {
namespace {

double hops_with(const World& world, u32 mtus) {
  World coarse = world;
  coarsen(coarse, mtus);
  return estimate_cost(coarse).packet_hops;
}

}  // namespace

std::string acceleration_text(const Config& config, const World& world) {
  if (!config.acceleration.bounded()) return "";
  const u32 mtus = choose_coarse(world, config.acceleration, config.path);
  const double fine = estimate_cost(world).packet_hops, coarse = hops_with(world, mtus) + hops_with(world, 2 * mtus);
  return fmt::format(
      "\nbounded    packets of {} MTUs, and of {} in a second run: about {:.1f} times fewer packet-hops in both "
      "together "
      "(most bytes travel in messages of {} packets); each costs 2 to 4 times as much, so sparse traffic gains no "
      "time\n",
      mtus, 2 * mtus, fine / coarse, dominant_message(world).packets);
}

}  // namespace heddle
