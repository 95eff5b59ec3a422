// A TOML configuration of at most a few hundred nodes and a few thousand messages: build_world refuses it with a
// message or builds it. What asks for more, or names files, is left alone: a fuzz case must end in milliseconds.
#include <algorithm>

#include "host/scenario/topology/registry.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace heddle;

bool small_fabric(const TopologyOptions& o) {
  for (const TopologyInfo& info : topologies()) {
    if (info.name != o.kind || !info.of_leaves) continue;
    const auto few = [&](const DimensionValue& v) { return v.topology != info.name || v.number <= 4; };
    const auto k_ary = [&](const DimensionValue& v) {
      return v.dimension->key == "radix" && v.number > 0 && v.number <= 4;
    };
    return std::ranges::all_of(o.values, few) || (std::ranges::any_of(o.values, k_ary) && o.kind == "fat_tree");
  }
  const u64 zones = o.kind == "multi_zone" ? o.zones : 1, racks = zones * o.racks, ctsws = zones * o.ctsws;
  return o.kind != "hpcc" && o.hosts <= 64 && racks * o.gpus_per_rack <= 128 && racks * o.uplinks_per_rtsw <= 256 &&
         ctsws <= 32 && o.atsws <= 32 && ctsws * o.uplinks_per_ctsw <= 256;
}

bool small_generator(const GeneratorOptions& o) {
  const bool few = o.kind == "poisson" ? o.duration_ps <= 1'000'000 && o.bytes >= 4096 : o.messages <= 64;
  return few && o.size_cdf.empty();
}

bool small_job(const JobOptions& o) {
  const bool few_heads = o.gpus_per_server <= 16 || (o.algorithm != "nvls" && !o.nvls);
  return few_heads && o.channels <= 24 && o.p2p_channels <= 2 && o.qps_per_connection <= 4 &&
         o.collectives.size() <= 4 &&
         std::ranges::all_of(o.collectives, [](const auto& c) { return c.repeat * c.sizes_bytes.size() <= 64; });
}

bool small(const Config& c) {
  return small_fabric(c.fabric.topology) && c.generators.size() <= 2 && c.jobs.size() <= 2 &&
         std::ranges::all_of(c.generators, small_generator) && std::ranges::all_of(c.jobs, small_job) &&
         c.workload_files.flow_file.empty() && c.routing.paths_file.empty() && c.routing.weights_file.empty() &&
         c.routing.demands_file.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  const auto config = fuzz::accepted_config(fuzz::text_of(data, size));
  if (config && small(*config)) fuzz::accepts([&] { workload_hash(build_world(*config)); });
  return 0;
}
