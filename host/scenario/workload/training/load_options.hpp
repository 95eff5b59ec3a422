// Configuration of the data on which a job trains: [job.training.data].
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "host/scenario/workload/training/storage_options.hpp"
#include "kernels/base/parameter.hpp"

namespace heddle {

/// [job.training.data]: what GPUs read for every iteration, and from which storage servers.
struct TrainingDataOptions : StorageOptions {
  u32 bytes_per_token = 0;
  u64 bytes_per_gpu = 0;
  bool prefetch = true;
  u64 chunk_bytes = 8 << 20, request_bytes = 256;
  TimePs service_ps = 100'000'000;

  bool present() const { return bytes_per_token != 0 || bytes_per_gpu != 0; }
};

/// Facts that other keys depend on.
inline std::vector<std::pair<std::string_view, std::string>> facts_of(const TrainingDataOptions& o,
                                                                      const std::string& model) {
  return {{"model", model}, {"bytes_per_gpu", model == "none" ? "no model" : o.bytes_per_gpu == 0 ? "0" : "given"}};
}

inline const std::array kTrainingDataParameters = {
    Parameter<TrainingDataOptions>{.key = "bytes_per_token",
                                   .field = &TrainingDataOptions::bytes_per_token,
                                   .max = 1'000'000'000,
                                   .help =
                                       "bytes of a token: the first rank of every tensor-parallel group of the first "
                                       "pipeline stage reads its tokens of each iteration; 0: nothing is read",
                                   .source = "none; a token's number takes 4 B, an image's part far more",
                                   .only_with = "bytes_per_gpu=0"},
    Parameter<TrainingDataOptions>{.key = "bytes_per_gpu",
                                   .field = &TrainingDataOptions::bytes_per_gpu,
                                   .quantity = Quantity::bytes,
                                   .max = 1e13,
                                   .help = "what each of these GPUs reads for an iteration, instead",
                                   .source = "none",
                                   .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{
        .key = "prefetch",
        .field = &TrainingDataOptions::prefetch,
        .help = "true: the data of an iteration are asked for when the one before begins, and "
                "those of the first one are there, and the last one reads ahead, too. false: when "
                "it begins itself, and it waits",
        .source = "PyTorch: DataLoader's prefetch_factor",
        .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{.key = "fabric",
                                   .field = &TrainingDataOptions::fabric,
                                   .help =
                                       "the [[fabric]] of the storage servers, from which data come to a CPU NIC of "
                                       "each GPU's server; none: the first, to the GPU's own NIC",
                                   .source = "Meta: storage is on the frontend",
                                   .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{.key = "first_host",
                                   .field = &TrainingDataOptions::first_host,
                                   .max = 1048575,
                                   .help = "the first storage server: among the storage_hosts of that fabric, or among "
                                           "all hosts of the first one",
                                   .source = "the first",
                                   .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{.key = "hosts",
                                   .field = &TrainingDataOptions::hosts,
                                   .max = 1048575,
                                   .help = "so many storage servers; 0: all storage_hosts from first_host on",
                                   .source = "all",
                                   .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{.key = "class",
                                   .field = &TrainingDataOptions::traffic_class,
                                   .choices = "lossless|best_effort",
                                   .help = "traffic class of requests and data",
                                   .source = "RDMA; TCP with class.best_effort.transport = \"tcp\"",
                                   .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{.key = "chunk",
                                   .field = &TrainingDataOptions::chunk_bytes,
                                   .quantity = Quantity::bytes,
                                   .min = 64,
                                   .max = 1e12,
                                   .help = "what one request reads, from a server that is drawn; all are sent at once",
                                   .source = "engineering judgement: Tectonic's blocks are of 8 MiB and more",
                                   .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{.key = "request_bytes",
                                   .field = &TrainingDataOptions::request_bytes,
                                   .quantity = Quantity::bytes,
                                   .min = 1,
                                   .max = 1e9,
                                   .help = "size of a request",
                                   .source = "engineering judgement: the header of a read",
                                   .only_with = kOnlyTraining},
    Parameter<TrainingDataOptions>{.key = "service",
                                   .field = &TrainingDataOptions::service_ps,
                                   .quantity = Quantity::time_ps,
                                   .max = 1e15,
                                   .help =
                                       "how long after it has received a request a server posts its answer; it serves "
                                       "any number at once",
                                   .source = "engineering judgement: a read of flash takes some 100 us",
                                   .only_with = kOnlyTraining},
};

}  // namespace heddle
