#include "host/scenario/workload/collective/slice_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"

namespace heddle {
namespace {

/// NCCL's 8 steps: a slice of a simple ring takes 2 of them, any other 1.
constexpr u32 kSteps = 8, kStepsOfRingSlice = 2;

u32 slices_u32(u64 slices, u64 slice_bytes) {
  if (slices > kMaxSlices) {
    throw ConfigError(
        fmt::format("job: {} slices of {} B of one collective on one connection cannot be counted in "
                    "31 bits; take larger slices (protocol = \"simple\") or a smaller size",
                    slices, slice_bytes));
  }
  return static_cast<u32>(slices);
}

u32 bytes_u32(Protocol protocol, u64 data_bytes) { return static_cast<u32>(bytes_with_flags(protocol, data_bytes)); }

}  // namespace

u64 whole_vectors(u64 bytes) { return (bytes + 15) / 16 * 16; }

u64 bytes_with_flags(Protocol protocol, u64 data_bytes) {
  const ProtocolRule& rule = rule_of(protocol);
  return (data_bytes + rule.data_of_line - 1) / rule.data_of_line * rule.bytes_of_line;
}

u64 channel_bytes(u64 bytes, u32 channels) { return whole_vectors((bytes + channels - 1) / channels); }

u32 channel_ps_per_byte_q16(const CollectiveSettings& settings, Algorithm algorithm, Protocol protocol, u32 heads) {
  const bool nvls = algorithm == Algorithm::nvls, tree = algorithm == Algorithm::tree;
  const u64 whole = settings.channel_ps_per_byte_q16[nvls ? kSwitchPost : static_cast<u32>(protocol)];
  const u64 sharers = nvls ? heads : tree && protocol == Protocol::simple ? 2 : 1;
  const ProtocolRule& rule = rule_of(protocol);
  return static_cast<u32>(whole * sharers * rule.data_of_line / rule.bytes_of_line);
}

SliceCut cut_ring(u64 bytes, u32 ranks, u32 hops, Protocol protocol, const JobOptions& options) {
  const bool simple = protocol == Protocol::simple;
  const u64 slice = simple ? options.slice_bytes : rule_of(protocol).max_data_bytes;
  SliceCut cut;
  cut.phases = hops + 1;
  cut.slices_full = cut.slices_tail = simple ? options.slices_per_chunk : 1;
  cut.slots = !simple ? kSteps : options.slots != 0 ? options.slots : kSteps / kStepsOfRingSlice;
  const u64 chunk = slice * cut.slices_full;
  const u64 full_loops = bytes / (chunk * ranks), rest = bytes % (chunk * ranks);
  const u64 tail_chunk = whole_vectors((rest + ranks - 1) / ranks);
  const u64 share = whole_vectors((tail_chunk + cut.slices_tail - 1) / cut.slices_tail);
  const u64 first = std::min(tail_chunk, std::max(share, std::min(options.min_slice_bytes, slice)));
  const u64 full = full_loops * hops * cut.slices_full;
  const u64 tail = tail_chunk == 0 ? 0 : static_cast<u64>(hops) * cut.slices_tail;
  cut.schedule.full = slices_u32(full, slice);
  cut.schedule.total = slices_u32(full + tail, slice);
  cut.schedule.full_bytes = bytes_u32(protocol, slice);
  cut.schedule.tail_period = cut.slices_tail;
  cut.schedule.tail_bytes[0] = bytes_u32(protocol, first);
  cut.schedule.tail_bytes[1] = bytes_u32(protocol, tail_chunk - first);
  return cut;
}

SliceCut cut_stream(u64 bytes, u64 slice_bytes, Protocol protocol) {
  const u64 most = rule_of(protocol).max_data_bytes;
  const u64 slice = most == 0 ? slice_bytes : std::min(most, slice_bytes);
  const u64 full = bytes / slice, rest = bytes % slice;
  SliceCut cut;
  cut.schedule.full = slices_u32(full, slice);
  cut.schedule.total = slices_u32(full + (rest > 0 ? 1 : 0), slice);
  cut.schedule.full_bytes = bytes_u32(protocol, slice);
  cut.schedule.tail_bytes[0] = bytes_u32(protocol, rest);
  return cut;
}

u64 step_bytes(Protocol protocol, const JobOptions& options) {
  return protocol == Protocol::simple ? whole_vectors(options.slice_bytes / kStepsOfRingSlice)
                                      : rule_of(protocol).max_data_bytes;
}

SliceCut cut_steps(u64 bytes, u64 slice_bytes, Protocol protocol, const JobOptions& options) {
  SliceCut cut = cut_stream(bytes, slice_bytes, protocol);
  if (protocol == Protocol::simple && options.slots != 0)
    cut.slots = std::min(kSteps, options.slots * kStepsOfRingSlice);
  return cut;
}

}  // namespace heddle
