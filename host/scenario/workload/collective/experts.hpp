// Expert parallelism: which tokens go where when dispatch and combine take them to their experts and back, on the way
// of DeepEP's normal kernels (deepseek-ai/DeepEP, csrc/kernels/legacy/internode.cu): once to each server of its
// experts, by the rail of its GPU, and from there by NVLink to the GPUs of its experts.
#pragma once

#include <vector>

#include "host/scenario/workload/job_options.hpp"
#include "io/formats/plain.hpp"
#include "kernels/world/collective.hpp"

namespace heddle {

/// The tokens of a dispatch between GPUs, or of the combine that follows it.
struct TokenTraffic {
  u32 gpus_per_server = 1, servers = 1;
  u64 token_bytes = 0;
  u32 chunk_tokens = 1, tokens = 1;
  std::vector<u64> to_server;  // [rank * servers + server] a rank's tokens with experts of a server
  std::vector<u64> passed_on;  // [(server * gpus + rail) * gpus + gpu] those on a rail with experts of a GPU

  /// The tokens that a rank passes to another one, which shares its server or its rail.
  u64 between(u32 from, u32 to) const;
  /// The parts that each of `channels` passes on one after the other.
  u32 pieces(u32 channels) const;
};

/// Draws the scores of every token's experts. `where` names the [[job.collective]]. Throws ConfigError.
TokenTraffic route_tokens(const CollectiveStepOptions& step, CollectiveKind kind, u32 ranks, u32 gpus_per_server,
                          const std::string& where);

/// The bytes by which DeepEP's benchmark counts bandwidth, mean of all ranks: a token counts for each server of its
/// experts, its own one too; in one server it counts for each GPU of its experts.
u64 counted_bytes(const TokenTraffic& traffic);

/// One of `parts` equal parts of what the ranks of a communicator pass to each other.
PlainByteMatrix bytes_between(const TokenTraffic& traffic, CollectiveKind kind, const std::vector<u32>& ranks,
                              u64 parts);

}  // namespace heddle
