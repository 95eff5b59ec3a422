// [partition] of a configuration: how a fabric is divided over ranks, and how these exchange. It affects the speed of a
// run, never its results.
#pragma once

#include <array>
#include <string>

#include "kernels/base/parameter.hpp"

namespace heddle {

struct PartitionOptions {
  std::string policy = "metis";
  std::string exchange = "auto";
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
    Parameter<PartitionOptions>{
        .key = "exchange",
        .field = &PartitionOptions::exchange,
        .choices = "auto|node|ranks",
        .help = "how ranks exchange; node: in memory that ranks of a machine share, and one MPI message between two "
                "machines; ranks: an MPI message between every two neighbouring ranks; auto: node where a machine has "
                "several ranks, unless MPI reads the memory of GPUs. Changes no result",
        .source = "engineering judgement"},
};

}  // namespace heddle
