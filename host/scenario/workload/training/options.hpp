// Configuration of a training job: [job.training].
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/scenario/workload/training/checkpoint_options.hpp"
#include "host/scenario/workload/training/load_options.hpp"
#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/program.hpp"

namespace heddle {

/// [job.training]: a transformer, its division over the GPUs, and their speed.
struct TrainingOptions {
  std::string model = "none";
  // dimensions of the model; 0: as `model` has them
  u32 layers = 0, hidden = 0, ffn_hidden = 0, attention_heads = 0, kv_heads = 0, vocabulary = 0, experts = 0,
      experts_per_token = 0;
  u32 sequence_length = 8192;
  // division over the GPUs
  u32 tensor_parallel = 1, context_parallel = 1, pipeline_parallel = 1, expert_parallel = 1;
  std::string rank_order = "tp-cp-pp-dp";
  u32 virtual_stages = 1;
  u32 micro_batches = 1, micro_batch_size = 1;
  std::string data_parallel = "fsdp";
  u32 prefetch_layers = 1;
  u32 parameter_bytes = 2, gradient_bytes = 4;
  // speed of the GPUs
  double peak_tflops = 989.5, efficiency = 0.55;
  TimePs forward_ps = 0;
  // time of communication that is not simulated
  TimePs gather_ps = 0, gather_vocabulary_ps = 0, reduce_ps = 0, reduce_vocabulary_ps = 0;
  double jitter = 0;
  std::vector<u64> slow_ranks;
  double slow_by = 0.1;
  // repetition
  u32 iterations = 1;
  TimePs start_ps = 0;
  TrainingCheckpointOptions checkpoint;
  TrainingDataOptions data;

  bool present() const { return model != "none"; }
  /// Whether data-parallel collectives take given times instead of being simulated.
  bool data_is_timed() const { return reduce_ps != 0; }
};

/// Kinds of collective that training uses; keys of the job may depend on them.
inline std::vector<std::string_view> kinds_of(const TrainingOptions& o) {
  if (!o.present()) return {};
  std::vector<std::string_view> kinds = {"all_reduce", "all_gather", "reduce_scatter"};
  if (o.pipeline_parallel > 1) kinds.push_back("send");
  if (o.expert_parallel > 1) kinds.push_back("all_to_all");
  return kinds;
}

/// Facts that other keys may depend on.
inline std::vector<std::pair<std::string_view, std::string>> facts_of(const TrainingOptions& o) {
  return {{"forward", !o.present()        ? "no model"
                      : o.forward_ps == 0 ? "0"
                                          : "given"},
          {"gather", o.gather_ps == 0 ? "0" : "given"},
          {"reduce", o.reduce_ps == 0 ? "0" : "given"},
          {"slow_ranks", o.slow_ranks.empty() ? "none" : "given"}};
}

inline const std::array kTrainingParameters = {
    Parameter<TrainingOptions>{.key = "model",
                               .field = &TrainingOptions::model,
                               .choices = "none|llama3_8b|llama3_70b|llama3_405b|mixtral_8x7b|custom",
                               .help = "dimensions of the transformer; custom: all given below; none: the job does its "
                                       "[[job.collective]]s",
                               .source = "The Llama 3 Herd of Models, table 3; Mixtral of Experts, table 1"},
    Parameter<TrainingOptions>{.key = "layers",
                               .field = &TrainingOptions::layers,
                               .max = 100'000,
                               .help = "transformer layers; 0: the model's",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "hidden",
                               .field = &TrainingOptions::hidden,
                               .max = 1 << 20,
                               .help = "width of a token's state; 0: the model's",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "ffn_hidden",
                               .field = &TrainingOptions::ffn_hidden,
                               .max = 1 << 22,
                               .help = "width inside the feed-forward part (SwiGLU: three matrices); 0: the model's",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "attention_heads",
                               .field = &TrainingOptions::attention_heads,
                               .max = 1 << 16,
                               .help = "query heads; 0: the model's",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "kv_heads",
                               .field = &TrainingOptions::kv_heads,
                               .max = 1 << 16,
                               .help = "key and value heads; 0: the model's",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "vocabulary",
                               .field = &TrainingOptions::vocabulary,
                               .max = 1 << 24,
                               .help = "tokens that there are; 0: the model's",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "experts",
                               .field = &TrainingOptions::experts,
                               .max = 1 << 16,
                               .help = "feed-forward parts of a layer; 0: the model's (dense: 1)",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "experts_per_token",
                               .field = &TrainingOptions::experts_per_token,
                               .max = 1 << 16,
                               .help = "of these, each token takes so many; 0: the model's",
                               .source = "the model",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "sequence_length",
                               .field = &TrainingOptions::sequence_length,
                               .min = 1,
                               .max = 1 << 24,
                               .help = "tokens of a sequence",
                               .source = "Llama 3: 8,192",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "tensor_parallel",
                               .field = &TrainingOptions::tensor_parallel,
                               .min = 1,
                               .max = 4096,
                               .help = "GPUs that divide each layer, with sequence parallelism: neighbours in rank",
                               .source = "1; Llama 3: 8",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "context_parallel",
                               .field = &TrainingOptions::context_parallel,
                               .min = 1,
                               .max = 4096,
                               .help = "parts of a sequence; keys and values are gathered in every layer",
                               .source = "1; Llama 3: 1 or 16",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "pipeline_parallel",
                               .field = &TrainingOptions::pipeline_parallel,
                               .min = 1,
                               .max = 4096,
                               .help = "stages; what is left of the GPUs is data-parallel",
                               .source = "1; Llama 3: 16",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "expert_parallel",
                               .field = &TrainingOptions::expert_parallel,
                               .min = 1,
                               .max = 4096,
                               .help = "neighbours among the ranks of data and context parallelism that divide the "
                                       "experts of a layer",
                               .source = "1; Megatron-LM: groups of context and data ranks together",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "rank_order",
                               .field = &TrainingOptions::rank_order,
                               .choices = "tp-cp-pp-dp|tp-cp-dp-pp",
                               .help =
                                   "which ranks are neighbours: those of a tensor-parallel group, then context, then "
                                   "pipeline stages or data-parallel replicas",
                               .source = "The Llama 3 Herd of Models, section 3.3.2; Megatron-LM: tp-cp-ep-dp-pp",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "virtual_stages",
                               .field = &TrainingOptions::virtual_stages,
                               .min = 1,
                               .max = 1024,
                               .help = "chunks of layers at each stage: interleaved 1F1B when above 1",
                               .source = "Megatron-LM: 1",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "micro_batches",
                               .field = &TrainingOptions::micro_batches,
                               .min = 1,
                               .max = 100'000,
                               .help = "of an iteration, at each data-parallel rank: gradients are added up",
                               .source = "1",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "micro_batch_size",
                               .field = &TrainingOptions::micro_batch_size,
                               .min = 1,
                               .max = 100'000,
                               .help = "sequences of a micro-batch",
                               .source = "Llama 3: 1",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "data_parallel",
                               .field = &TrainingOptions::data_parallel,
                               .choices = "fsdp|all_reduce",
                               .help = "fsdp: parameters are gathered layer by layer in the first forward pass, "
                                       "gradients reduce-scattered in the last backward pass; all_reduce: only "
                                       "gradients, all-reduced",
                               .source = "Llama 3: FSDP, no resharding after the forward pass",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "prefetch_layers",
                               .field = &TrainingOptions::prefetch_layers,
                               .max = 100'000,
                               .help = "fsdp: a layer's parameters are asked for when the computing comes to the layer "
                                       "so many before it",
                               .source = "PyTorch FSDP: 1",
                               .only_with = "data_parallel=fsdp"},
    Parameter<TrainingOptions>{.key = "parameter_bytes",
                               .field = &TrainingOptions::parameter_bytes,
                               .min = 1,
                               .max = 16,
                               .help = "of a parameter or an activation on the network, B",
                               .source = "Llama 3: BF16",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "gradient_bytes",
                               .field = &TrainingOptions::gradient_bytes,
                               .min = 1,
                               .max = 16,
                               .help = "of a gradient in data-parallel collectives, B",
                               .source = "Llama 3: FP32",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "peak_tflops",
                               .field = &TrainingOptions::peak_tflops,
                               .quantity = Quantity::ratio,
                               .min = 0.001,
                               .max = 1e9,
                               .help = "of a GPU, 10^12 operations per second",
                               .source = "NVIDIA H100 SXM: 989.5 dense BF16",
                               .only_with = "forward=0"},
    Parameter<TrainingOptions>{.key = "efficiency",
                               .field = &TrainingOptions::efficiency,
                               .quantity = Quantity::ratio,
                               .min = 0.0001,
                               .max = 1,
                               .help = "part of the peak that kernels reach; bubble and communication come on top",
                               .source = "engineering judgement: Llama 3 has 38 to 43 % over whole iterations",
                               .only_with = "forward=0"},
    Parameter<TrainingOptions>{.key = "forward",
                               .field = &TrainingOptions::forward_ps,
                               .quantity = Quantity::time_ps,
                               .max = 4e12,
                               .help = "a layer's forward pass of a micro-batch on its GPUs; backward takes twice as "
                                       "long, the output head in proportion; 0: from operations and peak",
                               .source = "0",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "gather",
                               .field = &TrainingOptions::gather_ps,
                               .quantity = Quantity::time_ps,
                               .max = 17e12,
                               .help = "fsdp: gathering a layer's parameters takes so long and is not simulated, the "
                                       "vocabulary's in proportion; 0: simulated. Goes with reduce",
                               .source = "0",
                               .only_with = "data_parallel=fsdp"},
    Parameter<TrainingOptions>{.key = "gather_vocabulary",
                               .field = &TrainingOptions::gather_vocabulary_ps,
                               .quantity = Quantity::time_ps,
                               .max = 17e12,
                               .help = "what the vocabulary's parameters take instead; 0: in proportion",
                               .source = "0: bytes decide, as for units of many MiB",
                               .only_with = "gather=given"},
    Parameter<TrainingOptions>{.key = "reduce",
                               .field = &TrainingOptions::reduce_ps,
                               .quantity = Quantity::time_ps,
                               .max = 17e12,
                               .help =
                                   "adding up a layer's gradients over data-parallel ranks takes so long and is not "
                                   "simulated, the vocabulary's in proportion; 0: simulated",
                               .source = "0",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "reduce_vocabulary",
                               .field = &TrainingOptions::reduce_vocabulary_ps,
                               .quantity = Quantity::time_ps,
                               .max = 17e12,
                               .help = "what the vocabulary's gradients take instead; 0: in proportion",
                               .source = "0: bytes decide, as for units of many MiB",
                               .only_with = "reduce=given"},
    Parameter<TrainingOptions>{.key = "jitter",
                               .field = &TrainingOptions::jitter,
                               .quantity = Quantity::ratio,
                               .max = 4,
                               .help = "every computation takes longer by up to this part, by chance",
                               .source = "0",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "slow_ranks",
                               .field = &TrainingOptions::slow_ranks,
                               .max = 1048575,
                               .help = "ranks of the job whose computations take longer by slow_by",
                               .source = "none",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "slow_by",
                               .field = &TrainingOptions::slow_by,
                               .quantity = Quantity::ratio,
                               .max = 4,
                               .help = "by which part",
                               .source = "engineering judgement: a GPU that lowers its clock",
                               .only_with = "slow_ranks=given"},
    Parameter<TrainingOptions>{.key = "iterations",
                               .field = &TrainingOptions::iterations,
                               .min = 1,
                               .max = 100'000,
                               .help = "optimizer steps",
                               .source = "1",
                               .only_with = kOnlyTraining},
    Parameter<TrainingOptions>{.key = "start",
                               .field = &TrainingOptions::start_ps,
                               .quantity = Quantity::time_ps,
                               .max = 4e18,
                               .help = "when the first one begins",
                               .source = "0",
                               .only_with = kOnlyTraining},
};

}  // namespace heddle
