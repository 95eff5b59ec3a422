// Configuration of the checkpoints of a training job: [job.training.checkpoint].
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/scenario/workload/training/storage_options.hpp"
#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// [job.training.checkpoint]: what GPUs write, to which storage servers, and whether they wait for it.
struct TrainingCheckpointOptions : StorageOptions {
  u32 every = 0;  // 0: none
  u64 bytes_per_gpu = 0;
  u32 bytes_per_parameter = 14;
  bool blocking = true;
  u64 copy_bytes_per_s = 50'000'000'000, host_memory_bytes = 2'000'000'000'000;
  u64 chunk_bytes = 8 << 20;
  u32 data_parts = 1, parity_parts = 0;
  u32 chunks_at_once = 4;

  bool present() const { return every != 0; }
};

/// Facts that other keys depend on; `model`: what the job trains. With every = 0 they mean nothing either, but
/// a sweep may compare that with others.
inline std::vector<std::pair<std::string_view, std::string>> facts_of(const TrainingCheckpointOptions& o,
                                                                      const std::string& model) {
  return {{"model", model}, {"bytes_per_gpu", model == "none" ? "no model" : o.bytes_per_gpu == 0 ? "0" : "given"}};
}

inline const std::array kTrainingCheckpointParameters = {
    Parameter<TrainingCheckpointOptions>{
        .key = "every",
        .field = &TrainingCheckpointOptions::every,
        .max = 100'000,
        .help = "a checkpoint at the end of every so many-th iteration; 0: none",
        .source = "none; Llama 3: about every 30 minutes, far more iterations than a run has",
        .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{
        .key = "bytes_per_gpu",
        .field = &TrainingCheckpointOptions::bytes_per_gpu,
        .quantity = Quantity::bytes,
        .max = 1e13,
        .help = "what each GPU writes, without redundancy; 0: an equal share of the model's parameters",
        .source = "Llama 3: 1 MB to 4 GB",
        .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{
        .key = "bytes_per_parameter",
        .field = &TrainingCheckpointOptions::bytes_per_parameter,
        .min = 1,
        .max = 64,
        .help = "bytes that are written for a parameter and its optimiser",
        .source = "mixed precision with Adam: 2 B of BF16, 4 of an FP32 copy, 8 of two moments",
        .only_with = "bytes_per_gpu=0"},
    Parameter<TrainingCheckpointOptions>{
        .key = "blocking",
        .field = &TrainingCheckpointOptions::blocking,
        .help = "true: the next iteration begins when everything is written. false: when it is "
                "copied to the server's memory, from which it is written meanwhile; the next "
                "checkpoint waits for this one",
        .source = "PyTorch: torch.save; distributed async_save",
        .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{.key = "copy_rate",
                                         .field = &TrainingCheckpointOptions::copy_bytes_per_s,
                                         .quantity = Quantity::bytes_per_s,
                                         .min = 1e8,
                                         .max = 1e13,
                                         .help = "rate at which each GPU copies to the server's memory",
                                         .source = "engineering judgement: PCIe 5.0 x16 has 63 GB/s",
                                         .only_with = "blocking=false"},
    Parameter<TrainingCheckpointOptions>{.key = "host_memory",
                                         .field = &TrainingCheckpointOptions::host_memory_bytes,
                                         .quantity = Quantity::bytes,
                                         .min = 1e6,
                                         .max = 1e15,
                                         .help = "memory of a server, which holds the copies of all its GPUs",
                                         .source = "NVIDIA DGX H100: 2 TB",
                                         .only_with = "blocking=false"},
    Parameter<TrainingCheckpointOptions>{
        .key = "fabric",
        .field = &TrainingCheckpointOptions::fabric,
        .help = "the [[fabric]] of the storage servers, to which each GPU's data go by a CPU "
                "NIC of its server; none: the first, by the GPU's own NIC",
        .source = "Meta: storage is on the frontend",
        .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{
        .key = "first_host",
        .field = &TrainingCheckpointOptions::first_host,
        .max = 1048575,
        .help = "the first storage server: among the storage_hosts of that fabric, or among all "
                "hosts of the first one",
        .source = "the first",
        .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{.key = "hosts",
                                         .field = &TrainingCheckpointOptions::hosts,
                                         .max = 1048575,
                                         .help = "so many storage servers; 0: all storage_hosts from first_host on",
                                         .source = "all",
                                         .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{.key = "class",
                                         .field = &TrainingCheckpointOptions::traffic_class,
                                         .choices = "lossless|best_effort",
                                         .help = "traffic class of the data",
                                         .source = "RDMA; TCP with class.best_effort.transport = \"tcp\"",
                                         .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{.key = "chunk",
                                         .field = &TrainingCheckpointOptions::chunk_bytes,
                                         .quantity = Quantity::bytes,
                                         .min = 64,
                                         .max = 1e12,
                                         .help = "what is written at once, to servers that are drawn for each chunk",
                                         .source = "engineering judgement: Tectonic's blocks are of 8 MiB and more",
                                         .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{.key = "data_parts",
                                         .field = &TrainingCheckpointOptions::data_parts,
                                         .min = 1,
                                         .max = 256,
                                         .help = "a chunk is divided into so many parts, each for another server",
                                         .source = "1: whole; Reed-Solomon 10 + 4: 10",
                                         .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{
        .key = "parity_parts",
        .field = &TrainingCheckpointOptions::parity_parts,
        .max = 255,
        .help = "and so many more parts of the same size; with data_parts = 1 these are copies",
        .source = "0: none; Reed-Solomon 10 + 4: 4; three copies: 2",
        .only_with = kOnlyTraining},
    Parameter<TrainingCheckpointOptions>{
        .key = "chunks_at_once",
        .field = &TrainingCheckpointOptions::chunks_at_once,
        .max = 1'000'000,
        .help = "a GPU writes so many chunks at once, and each of the others when one is written; 0: all",
        .source = "engineering judgement",
        .only_with = kOnlyTraining},
};

}  // namespace heddle
