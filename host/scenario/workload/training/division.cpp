#include "host/scenario/workload/training/division.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"

namespace heddle {

Division division_of(const TrainingOptions& o, u32 gpus, u32 job) {
  Division d{o.tensor_parallel, o.context_parallel,           o.pipeline_parallel, 1,
             o.expert_parallel, o.rank_order == "tp-cp-dp-pp"};
  const u64 replica = u64{d.tensors} * d.contexts * d.stages;
  if (gpus % replica != 0) {
    throw ConfigError(
        fmt::format("job[{0}].training: tensor_parallel {1} x context_parallel {2} x pipeline_parallel {3} = {4} GPUs "
                    "are one replica, and {5} GPUs are no multiple of it; change job[{0}].gpus or these",
                    job, d.tensors, d.contexts, d.stages, replica, gpus));
  }
  d.datas = static_cast<u32>(gpus / replica);
  if (d.replicas() % d.experts != 0) {
    throw ConfigError(fmt::format(
        "job[{}].training.expert_parallel: {} does not divide the {} ranks that hold the same parameters: {} "
        "data-parallel replicas x context_parallel {}",
        job, d.experts, d.replicas(), d.datas, d.contexts));
  }
  if (o.virtual_stages > 1 && (d.stages == 1 || o.micro_batches % d.stages != 0)) {
    throw ConfigError(
        fmt::format("job[{}].training.virtual_stages: {} chunks a stage need several stages "
                    "(pipeline_parallel is {}) and as many micro_batches or a multiple (there are {})",
                    job, o.virtual_stages, d.stages, o.micro_batches));
  }
  return d;
}

std::vector<u32> layers_of_chunks(u32 layers, u32 chunks) {
  std::vector<u32> sizes(chunks, layers / chunks);
  u32 left = layers % chunks;
  for (u32 c = 1; c + 1 < chunks && left > 0; ++c, --left) ++sizes[c];
  if (left > 0) ++sizes.front(), --left;
  if (left > 0) ++sizes.back();
  return sizes;
}

}  // namespace heddle
