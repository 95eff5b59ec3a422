// Poisson arrivals: every host posts messages at random instants to random others, as HPCC's traffic_gen.
#include "host/scenario/workload/arrivals.hpp"

namespace heddle {

void generate_poisson(const GeneratorInput& in) {
  for (u32 i = 0; i < in.hosts; ++i) {
    for (PoissonArrivals arrivals(in, i, in.first + i); arrivals.next();) {
      const u64 draw = arrivals.draw();
      const u64 other = ((chance(in, draw, GeneratorDraw::destination) >> 32) * (in.hosts - 1)) >> 32;
      const u32 dst = static_cast<u32>(other < i ? other : other + 1);  // any host but itself, with equal probability
      in.traffic.add_message(in.first + i, in.first + dst, drawn_bytes(in, draw), arrivals.at_ps(), in.traffic_class,
                             {"generator", in.index});
    }
  }
}

}  // namespace heddle
