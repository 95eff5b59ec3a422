#include "host/scenario/workload/training/loads.hpp"

#include <algorithm>

#include "host/scenario/workload/traffic_builder.hpp"
#include "io/units.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {

u64 load_bytes(const TrainingOptions& options, const Division& division) {
  const TrainingDataOptions& o = options.data;
  if (o.bytes_per_gpu != 0) return o.bytes_per_gpu;
  const u64 sequences = u64{options.micro_batches} * options.micro_batch_size;
  return sequences * divided_up(options.sequence_length, division.contexts) * o.bytes_per_token;
}

LoadOperations load_operations(const TrainingDataOptions& options) {
  const auto of_loads = [](OpKind kind) {
    return Op{.kind = kind, .group = static_cast<u8>(Group::storage), .stream = static_cast<u16>(BatchSeries::loads)};
  };
  const Op post = of_loads(OpKind::post), written = of_loads(OpKind::written);
  if (options.prefetch) return {{written, post}, 1};
  return {{post, written}, 2};
}

LoadWriter::LoadWriter(const TrainingOptions& options, u32 job, u64 bytes, const Hosts& storage, World& world,
                       TrafficBuilder& traffic)
    : o_(options.data),
      iterations_(options.iterations),
      job_(job),
      bytes_(bytes),
      storage_(storage),
      traffic_class_(traffic.class_number(o_.traffic_class, {"job", job})),
      world_(world),
      traffic_(traffic) {}

void LoadWriter::write(u32 run, u32 rank) const {
  const u32 connections = traffic_.add_connections();
  for (u32 i = 0; i < iterations_; ++i) write_batch(world_.programs.runs[run].helper, rank, i, connections);
  world_.programs.runs[run].loads = iterations_;
}

void LoadWriter::write_batch(EndpointId helper, u32 rank, u32 iteration, u32 connections) const {
  ProgramPlan& programs = world_.programs;
  const Origin origin{"job", job_};
  Batch batch{static_cast<u32>(programs.posted.size()), 0, static_cast<u32>(programs.awaited.size()), 0};
  for (u64 at = 0; at < bytes_; at += o_.chunk_bytes) {
    // Loads draw beside checkpoints, whose numbers stay below 2^31.
    const u64 draw = hash64(world_.seed, Stream::storage, (u64{job_} << 32) | rank,
                            (u64{iteration | 0x80000000u} << 32) | batch.posted);
    const EndpointId server = storage_.first + static_cast<u32>(draw % storage_.count);
    const auto [question, answer] =
        traffic_.add_exchange(helper, server, o_.request_bytes, std::min(o_.chunk_bytes, bytes_ - at), 0, o_.service_ps,
                              traffic_class_, connections, origin);
    traffic_.let_program_post(question);
    traffic_.add_request({.generator = kNone, .job = job_}, {question}, {answer});
    programs.posted.push_back(question);
    programs.awaited.push_back({answer, true});
    ++batch.posted;
    ++batch.awaited;
  }
  programs.batches.push_back(batch);
}

}  // namespace heddle
