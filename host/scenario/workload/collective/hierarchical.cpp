// Hierarchical collectives: the part within servers uses NVLink, the rest runs between GPUs of the same number, so that
// every byte leaves by a NIC of its own and enters by the NIC of its rail.
#include <algorithm>

#include "host/scenario/workload/collective/stages.hpp"

namespace heddle {

std::vector<Stage> hierarchical_stages(const Composition& of) {
  using enum CollectiveKind;
  const u32 server = of.gpus_per_server, servers = of.ranks / server;
  std::vector<Stage> stages;
  switch (of.kind) {
    case all_reduce:
      stages = {{reduce_scatter, 1, server, 1}, {all_reduce, server, servers, server}, {all_gather, 1, server, 1}};
      break;
    case all_gather:
      stages = {{all_gather, server, servers, server}, {all_gather, 1, server, 1}};
      break;
    case reduce_scatter:
      stages = {{reduce_scatter, 1, server, 1}, {reduce_scatter, server, servers, server}};
      break;
    default:  // all_to_all: first to the GPU that is on the receiver's rail
      stages = {{all_to_all, 1, server, 1}, {all_to_all, server, servers, 1}};
  }
  std::erase_if(stages, [](const Stage& stage) { return stage.ranks == 1; });
  return stages;
}

std::vector<Stage> token_stages(const Composition& of) {
  std::vector<Stage> stages = hierarchical_stages(of);  // those of an all-to-all: to the rail by NVLink, then along it
  for (Stage& stage : stages) stage.kind = CollectiveKind::all_to_all_v;
  if (of.kind == CollectiveKind::dispatch) std::ranges::reverse(stages);
  return stages;
}

}  // namespace heddle
