#include "host/scenario/workload/training/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "host/base/quantity_text.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/traffic_builder.hpp"
#include "host/scenario/workload/training/storage.hpp"
#include "io/units.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

std::string key(u32 job, std::string_view name = "") { return storage_key(job, "checkpoint", name); }

/// Checks what is to be written of `bytes` by each GPU, to so many `servers`.
void check(const JobOptions& options, u32 job, u32 servers, u64 bytes) {
  const TrainingCheckpointOptions& o = options.training.checkpoint;
  const u32 parts = o.data_parts + o.parity_parts;
  if (options.training.iterations < o.every) {
    throw ConfigError(
        fmt::format("{} = {}: there are {} iterations, so no checkpoint would be written; give at most as many",
                    key(job, "every"), o.every, options.training.iterations));
  }
  if (parts > servers) {
    throw ConfigError(
        fmt::format("{}: data_parts = {} and parity_parts = {} are for as many storage servers, and there are {}",
                    key(job), o.data_parts, o.parity_parts, servers));
  }
  const u64 copies = bytes * options.gpus_per_server;
  if (!o.blocking && copies > o.host_memory_bytes) {
    throw ConfigError(
        fmt::format("{}: the GPUs of a server copy {} to its memory, which has {}; write less (bytes_per_gpu), "
                    "take blocking = true, or give host_memory",
                    key(job), bytes_text(copies), bytes_text(o.host_memory_bytes)));
  }
}

}  // namespace

TrainingCheckpointWriter::TrainingCheckpointWriter(const JobOptions& options, u32 job,
                                                   std::span<const std::vector<EndpointId>> jobs, World& world,
                                                   TrafficBuilder& traffic)
    : o_(options.training.checkpoint),
      checkpoints_(options.training.iterations / std::max(o_.every, 1u)),
      job_(job),
      bytes_(checkpoint_bytes(o_, transformer_of(options.training, job), static_cast<u32>(jobs[job].size()))),
      storage_(storage_servers(o_, "checkpoint", job, jobs, world.fabric)),
      traffic_class_(traffic.class_number(o_.traffic_class, {"job", job})),
      world_(world),
      traffic_(traffic) {
  check(options, job, storage_.count, bytes_);
}

void TrainingCheckpointWriter::write(u32 run, u32 rank) const {
  const u32 connections = traffic_.add_connections();
  for (u32 checkpoint = 0; checkpoint < checkpoints_; ++checkpoint) write_batch(run, rank, checkpoint, connections);
}

void TrainingCheckpointWriter::write_batch(u32 run, u32 rank, u32 checkpoint, u32 connections) const {
  ProgramPlan& programs = world_.programs;
  Batch batch{static_cast<u32>(programs.posted.size()), 0, static_cast<u32>(programs.awaited.size()), 0};
  std::vector<std::vector<u32>> chunks;
  for (u64 at = 0; at < bytes_; at += o_.chunk_bytes) {
    const std::vector<u32> parts = chunk(run, rank, checkpoint, chunks.size(), std::min(o_.chunk_bytes, bytes_ - at));
    const bool at_once = o_.chunks_at_once == 0 || chunks.size() < o_.chunks_at_once;
    for (const u32 part : parts) {
      traffic_.use(connections, part);
      programs.awaited.push_back({part, false});
      if (!at_once) {
        traffic_.post_behind(part, chunks[chunks.size() - o_.chunks_at_once], false, {"job", job_});
        continue;
      }
      traffic_.let_program_post(part);
      programs.posted.push_back(part);
    }
    chunks.push_back(parts);
  }
  batch.posted = static_cast<u32>(programs.posted.size()) - batch.first_posted;
  batch.awaited = static_cast<u32>(programs.awaited.size()) - batch.first_awaited;
  programs.batches.push_back(batch);
}

std::vector<u32> TrainingCheckpointWriter::chunk(u32 run, u32 rank, u32 checkpoint, u64 number, u64 bytes) const {
  const u64 draw = hash64(world_.seed, Stream::storage, (u64{job_} << 32) | rank, (u64{checkpoint} << 32) | number);
  std::vector<u32> parts;
  for (u32 p = 0; p < o_.data_parts + o_.parity_parts; ++p) {
    const EndpointId host = storage_.first + static_cast<u32>((draw % storage_.count + p) % storage_.count);
    parts.push_back(traffic_.add_message(world_.programs.runs[run].helper, host, divided_up(bytes, o_.data_parts), 0,
                                         traffic_class_, {"job", job_}));
  }
  return parts;
}

u64 checkpoint_bytes(const TrainingCheckpointOptions& options, const Transformer& model, u32 gpus) {
  if (options.bytes_per_gpu != 0) return options.bytes_per_gpu;
  return divided_up(model.parameters() * options.bytes_per_parameter, gpus);
}

std::vector<Op> checkpoint_operations(const TrainingPlan& plan) {
  const TrainingCheckpointOptions& o = plan.options.checkpoint;
  const auto in_every = [&](OpKind kind, TimePs ps) {
    return Op{.kind = kind, .group = static_cast<u8>(Group::storage), .n = o.every, .ps = ps};
  };
  const Op post = in_every(OpKind::post, 0), written = in_every(OpKind::written, 0);
  if (o.blocking) return {post, written};
  const u64 bytes = checkpoint_bytes(o, plan.model, plan.division.ranks());
  const double ps = static_cast<double>(bytes) / static_cast<double>(o.copy_bytes_per_s) * 1e12;
  if (ps >= static_cast<double>(kMaxComputePs)) {
    throw ConfigError(fmt::format("{} = {}: copying {} takes {:.1f} s, and {:.1f} s are the most; give more",
                                  key(plan.job, "copy_rate"),
                                  format_quantity(static_cast<i64>(o.copy_bytes_per_s), Quantity::bytes_per_s),
                                  bytes_text(bytes), ps / 1e12, static_cast<double>(kMaxComputePs) / 1e12));
  }
  return {written, in_every(OpKind::delay, std::llround(ps)), post};
}

}  // namespace heddle
