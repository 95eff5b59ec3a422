// [partition] of a configuration: how a fabric is divided over ranks. It decides how fast a run is, never what it
// finds.
#pragma once

#include <array>
#include <string>

#include "kernels/base/parameter.hpp"

namespace heddle {

struct PartitionOptions {
  std::string policy = "metis";
};

inline const std::array kPartitionParameters = {
    Parameter<PartitionOptions>{
        .key = "policy",
        .field = &PartitionOptions::policy,
        .choices = "metis|blocks",
        .help =
            "metis: even work, few packets between ranks; blocks: racks in order of zones, spines dealt out. Changes "
            "no result",
        .source = "METIS 5.1 (Karypis, Kumar 1998), multilevel k-way"},
};

}  // namespace heddle
