#include "io/results/file_size.hpp"

#include <algorithm>

#include "io/results/layout.hpp"
#include "io/results/log_bins.hpp"
#include "io/results/series.hpp"
#include "io/results/summaries.hpp"
#include "io/results/training_checkpoints.hpp"

namespace heddle {
namespace {

/// Bytes of objects, attributes and indices of chunks: 224 KB were measured (configs/incast.toml, 2026-11-30).
constexpr u64 kHdf5Bytes = 280'000;
/// Bytes of a node's name; the longest of a preset has 20 letters.
constexpr u32 kNameBytes = 32;

u64 row_bytes(const TableSpec& table) {
  u64 bytes = 0;
  for (const ColumnSpec& column : table.columns) bytes += element_bytes(column);
  return bytes;
}

/// Events of a GPU in an iteration: each computation, each wait, and its ranks' entries and ends.
u64 gpu_time_bytes(const World& world) {
  const ProgramPlan& plan = world.programs;
  const u64 activity = row_bytes(layout::gpu_time_events()), completion = row_bytes(layout::completion_events());
  std::vector<u64> of_program;
  for (const Program& program : plan.programs) {
    u64 bytes = 0;
    for (u32 s = 0; s < program.streams; ++s) {
      const OpStream& stream = plan.streams[program.first_stream + s];
      for (u32 o = 0; o < stream.ops; ++o) {
        const Op& op = plan.ops[stream.first_op + o];
        if (op.kind == OpKind::compute || (op.kind == OpKind::wait && op.group != kNoGroup)) bytes += activity;
        if (op.kind == OpKind::collective) bytes += 2 * completion;
      }
    }
    of_program.push_back(bytes);
  }
  u64 bytes = 0;
  for (const ProgramRun& run : plan.runs) bytes += plan.tasks[run.task].iterations * of_program[run.program];
  return bytes;
}

u64 series_row_bytes(u64 entities) { return 8 + entities * layout::kSeriesQuantities.size() * 8; }

}  // namespace

u64 end_buffer_bytes(u64 messages, u64 requests, u64 collectives, u64 iterations, u64 links) {
  constexpr u64 kTimes = 2;  // both the rows that wait and a chunk in the cache of each column (dataset.cpp)
  const auto buffers = [](u64 rows, const TableSpec& table) {
    return kTimes * std::min(rows, layout::kBulkChunkRows) * row_bytes(table);
  };
  return buffers(messages, layout::messages()) + buffers(requests, layout::requests()) +
         buffers(collectives, layout::collectives()) + buffers(iterations, layout::iterations()) +
         buffers(links, layout::link_outcomes());
}

FileSize file_size_of(const World& world, bool link_series, bool gpu_time) {
  const Fabric& fabric = world.fabric;
  const u64 kinds = link_tiers(fabric).kinds.size(), links = fabric.links.size();
  FileSize size;
  size.fixed_bytes =
      kHdf5Bytes + fabric.nodes.size() * row_bytes(layout::nodes(kNameBytes)) + links * row_bytes(layout::links());
  for (const Job& job : world.collectives.jobs)
    size.fixed_bytes +=
        job.ranks.size() * (row_bytes(layout::job_ranks(kNameBytes)) + row_bytes(layout::communicators()));
  size.end_bytes = world.traffic.messages.size() * row_bytes(layout::messages()) +
                   world.collectives.collectives.size() * row_bytes(layout::collectives()) +
                   first_iterations(world.programs).back() * row_bytes(layout::iterations()) +
                   kinds_of_collectives(world) * row_bytes(layout::collective_summaries()) +
                   count_training_checkpoints(world) * row_bytes(layout::training_checkpoints()) +
                   world.traffic.requests.size() * row_bytes(layout::requests()) +
                   world.routing.control.periods * row_bytes(layout::plans()) +
                   links * row_bytes(layout::link_outcomes()) + (2 * kinds + 1) * LogBins::kBins * 8;
  for (const TableSpec& events :
       {layout::pfc_events(), layout::drop_events(), layout::failure_events(), layout::completion_events()})
    size.end_bytes += layout::kEventChunkRows * row_bytes(events);
  size.end_bytes += layout::kTierChunkRows * series_row_bytes(kinds);
  if (link_series) size.end_bytes += layout::link_chunk_rows(links) * series_row_bytes(links);
  size.series_row_bytes = series_row_bytes(kinds) + (link_series ? series_row_bytes(links) : 0);
  if (gpu_time) {
    size.end_bytes += layout::kEventChunkRows * row_bytes(layout::gpu_time_events());
    size.gpu_time_bytes = gpu_time_bytes(world);
  }
  if (has_tcp(world)) size.end_bytes += layout::kEventChunkRows * row_bytes(layout::tcp_window_events());
  return size;
}

}  // namespace heddle
