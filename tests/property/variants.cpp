#include "tests/property/variants.hpp"

#include <fmt/format.h>

namespace heddle::property {

Variant variant(u64 index) {
  Variant v;
  switch (index % kVariants) {
    case 0:
      v.name = "1 thread";
      break;
    case 1:
      v.name = "2 threads";
      v.options.threads = 2;
      v.options.sharing_from_nodes = 0;
      break;
    case 2:
    case 3:
    case 4:
      v.name = fmt::format("shuffled, seed {}", index % kVariants - 1);
      v.options.shuffled = true;
      v.options.shuffle_seed = index % kVariants - 1;
      v.options.check = v.options.shuffle_seed == 3;
      if (v.options.check) v.name += ", invariants checked";
      break;
    case 5:
      v.name = "half tick";
      v.tick_divisor = 2;
      break;
    case 6:
      v.name = "quarter tick";
      v.tick_divisor = 4;
      break;
    case 7:
      v.name = "other numbering";
      v.options.numbering_seed = index + 1;
      break;
    case 8:
      v.name = "observed in odd steps";
      v.observed = true;
      break;
    case 9:
      v.name = "invariants checked, half tick";
      v.options.check = true;
      v.tick_divisor = 2;
      break;
    case 10:
      v.name = "2 ranks";
      v.legs = {2};
      v.cut_seed = 1;
      break;
    case 11:
      v.name = "3 ranks, shuffled, half tick, other numbering, observed";
      v.legs = {3};
      v.cut_seed = 2;
      v.options.shuffled = true;
      v.options.numbering_seed = index + 1;
      v.tick_divisor = 2;
      v.observed = true;
      break;
    case 12:
      v.name = "saved and restarted three times, other numberings, observed";
      v.legs = {1, 1, 1, 1};
      v.cut_seed = 3;
      v.options.numbering_seed = index + 1;
      v.observed = true;
      break;
    case 13:
      v.name = "saved by 2 ranks, restarted in 1, then in 3";
      v.legs = {2, 1, 3};
      v.cut_seed = 4;
      v.options.shuffled = true;
      break;
    default:
      v.name = "2 threads, shuffled, third tick, other numbering, observed, invariants checked";
      v.options.check = true;
      v.options.threads = 2;
      v.options.sharing_from_nodes = 0;
      v.options.shuffled = true;
      v.options.numbering_seed = index + 1;
      v.tick_divisor = 3;
      v.observed = true;
  }
  return v;
}

}  // namespace heddle::property
