#include "host/scenario/workload/collective/experts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "host/base/error.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

/// Tokens of 7168 elements: in FP8 with a scale of 4 B for each 128 of them, and in BF16.
constexpr u64 kDispatchedBytes = 7168 + 7168 / 128 * 4, kCombinedBytes = 7168 * 2;
/// About a minute.
constexpr u64 kMaxScores = u64{1} << 32;

u64 divided(u64 amount, u64 parts) { return (amount + parts - 1) / parts; }

/// The choice of a token's experts by scores that all differ: their low bits are the expert.
class Gating {
 public:
  Gating(const CollectiveStepOptions& step, u32 servers)
      : step_(step), servers_(servers), experts_per_server_(step.experts / servers) {}

  std::span<const u64> choose(u32 rank, u32 token) {
    const u64 drawn = hash64(step_.routing_seed, Stream::gating, (u64{rank} << 32) | token);
    scores_.resize(step_.experts);
    for (u32 e = 0; e < step_.experts; ++e) scores_[e] = (absorb(drawn, e) & ~kExpert) | e;
    if (step_.top_groups < servers_) keep_best_servers();
    keep_largest(scores_, step_.top_k);
    return scores_;
  }

  static u32 expert(u64 score) { return static_cast<u32>(score & kExpert); }

 private:
  static constexpr u64 kExpert = 0xffff;

  static void keep_largest(std::vector<u64>& all, u32 count) {
    std::nth_element(all.begin(), all.begin() + (count - 1), all.end(), std::greater<>());
    all.resize(count);
  }

  void keep_best_servers() {
    best_.clear();
    for (auto first = scores_.begin(); first != scores_.end(); first += experts_per_server_)
      best_.push_back(*std::max_element(first, first + experts_per_server_));
    keep_largest(best_, step_.top_groups);
    chosen_.clear();
    for (const u64 score : best_) {
      const auto first = scores_.begin() + expert(score) / experts_per_server_ * experts_per_server_;
      chosen_.insert(chosen_.end(), first, first + experts_per_server_);
    }
    scores_.swap(chosen_);
  }

  const CollectiveStepOptions& step_;
  u32 servers_, experts_per_server_;
  std::vector<u64> scores_, best_, chosen_;
};

void check_step(const CollectiveStepOptions& step, u32 ranks, u32 servers, const std::string& where) {
  if (!step.sizes_bytes.empty()) {
    throw ConfigError(fmt::format(
        "{}.sizes: tokens, token_size, experts, top_k and top_groups say what a {} carries; leave sizes out", where,
        step.kind));
  }
  if (step.experts % ranks != 0) {
    throw ConfigError(
        fmt::format("{}.experts: {} of them on {} GPUs, and every GPU has equally many; give a multiple of {}", where,
                    step.experts, ranks, ranks));
  }
  const u32 groups = std::min(step.top_groups, servers), possible = step.experts / servers * groups;
  if (step.top_k > possible) {
    throw ConfigError(
        fmt::format("{}.top_k: {}, and {} of the {} servers have {} experts; give fewer, or more top_groups", where,
                    step.top_k, groups, servers, possible));
  }
  if (u64{ranks} * step.tokens > kMaxScores / step.experts) {
    throw ConfigError(
        fmt::format("{}.tokens: {} on {} GPUs with {} experts take longer than a minute to route; give fewer", where,
                    step.tokens, ranks, step.experts));
  }
}

}  // namespace

u64 TokenTraffic::between(u32 from, u32 to) const {
  const u64 server = to / gpus_per_server;
  if (from / gpus_per_server != server) return to_server[u64{from} * servers + server];
  return passed_on[u64{from} * gpus_per_server + to % gpus_per_server];
}

u32 TokenTraffic::pieces(u32 channels) const {
  return static_cast<u32>(divided(divided(tokens, channels), chunk_tokens));
}

TokenTraffic route_tokens(const CollectiveStepOptions& step, CollectiveKind kind, u32 ranks, u32 gpus_per_server,
                          const std::string& where) {
  TokenTraffic traffic;
  const u32 gpus = gpus_per_server, servers = ranks / gpus, experts_per_gpu = step.experts / ranks;
  check_step(step, ranks, servers, where);
  traffic.gpus_per_server = gpus;
  traffic.servers = servers;
  traffic.token_bytes = step.token_bytes != 0              ? step.token_bytes
                        : kind == CollectiveKind::dispatch ? kDispatchedBytes
                                                           : kCombinedBytes;
  traffic.tokens = step.tokens;
  traffic.chunk_tokens = step.chunk_tokens;
  traffic.to_server.resize(u64{ranks} * servers);
  traffic.passed_on.resize(u64{ranks} * gpus);
  Gating gating(step, servers);
  std::vector<u32> wanted;  // GPUs of a token's experts, ascending
  for (u32 rank = 0; rank < ranks; ++rank) {
    for (u32 token = 0; token < step.tokens; ++token) {
      wanted.clear();
      for (const u64 score : gating.choose(rank, token)) wanted.push_back(Gating::expert(score) / experts_per_gpu);
      std::ranges::sort(wanted);
      const auto twice = std::unique(wanted.begin(), wanted.end());
      wanted.erase(twice, wanted.end());
      u32 last = servers;
      for (const u32 gpu : wanted) {
        const u32 server = gpu / gpus;
        if (server != last) ++traffic.to_server[u64{rank} * servers + server];
        last = server;
        ++traffic.passed_on[(u64{server} * gpus + rank % gpus) * gpus + gpu % gpus];
      }
    }
  }
  return traffic;
}

u64 counted_bytes(const TokenTraffic& traffic) {
  const std::vector<u64>& counted = traffic.servers == 1 ? traffic.passed_on : traffic.to_server;
  const u64 tokens = std::accumulate(counted.begin(), counted.end(), u64{0});
  return divided(tokens * traffic.token_bytes, u64{traffic.servers} * traffic.gpus_per_server);
}

PlainByteMatrix bytes_between(const TokenTraffic& traffic, CollectiveKind kind, const std::vector<u32>& ranks,
                              u64 parts) {
  PlainByteMatrix matrix{static_cast<u32>(ranks.size()), {}};
  for (const u32 from : ranks) {
    for (const u32 to : ranks) {
      const u64 tokens = kind == CollectiveKind::dispatch ? traffic.between(from, to) : traffic.between(to, from);
      matrix.bytes.push_back(from == to ? 0 : divided(tokens * traffic.token_bytes, parts));
    }
  }
  return matrix;
}

}  // namespace heddle
