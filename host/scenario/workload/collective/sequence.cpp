#include "host/scenario/workload/collective/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/channels.hpp"
#include "host/scenario/workload/collective/choice.hpp"
#include "io/results/bandwidth.hpp"

namespace heddle {
namespace {

/// A call and its layout and protocol.
struct Planned {
  CollectiveCall call;
  Choice choice;

  PlannedGroup group() const { return {choice.layout, choice.channels}; }
};

/// The bytes on each connection of a collective, in the order of connections: usually equal. For an all-to-all-v by
/// (rank, round), alike on all channels of a pair.
std::vector<u64> sizes_of(const CollectiveCall& call) {
  if (call.matrix == nullptr) return {call.bytes};
  const u32 ranks = call.matrix->ranks;
  std::vector<u64> sizes;
  for (u32 rank = 0; rank < ranks; ++rank) {
    for (u32 round = 1; round < ranks; ++round)
      sizes.push_back(call.matrix->bytes[u64{rank} * ranks + (rank + round) % ranks]);
  }
  return sizes;
}

/// The schedules of a collective, consecutive in the World, and their common values.
struct Cuts {
  u32 schedule = 0, schedules = 0;
  SliceCut any;
};

Cuts cuts_of(const Planned& p, const Sequence& sequence, World& world) {
  std::vector<SliceSchedule>& all = world.collectives.schedules;
  Cuts cuts;
  cuts.schedule = static_cast<u32>(all.size());
  const JobOptions options = options_of(sequence.options, p.group());
  for (const u64 bytes : sizes_of(p.call)) {
    const Layout& layout = layouts()[p.choice.layout];
    cuts.any = layout.cut({p.call.kind, bytes, options.gpus, p.choice.protocol, options});
    all.push_back(cuts.any.schedule);
  }
  cuts.schedules = static_cast<u32>(all.size()) - cuts.schedule;
  return cuts;
}

/// Schedules by collective. A matrix has many: one set for all collectives with that matrix.
class Schedules {
 public:
  Schedules(const Sequence& sequence, World& world) : sequence_(sequence), world_(world) {}

  Cuts of(const Planned& p) {
    if (p.call.matrix == nullptr) return cuts_of(p, sequence_, world_);
    const auto [known, is_new] = of_matrix_.try_emplace({p.call.matrix.get(), p.choice.protocol});
    if (is_new) known->second = cuts_of(p, sequence_, world_);
    return known->second;
  }

 private:
  const Sequence& sequence_;
  World& world_;
  std::map<std::pair<const PlainByteMatrix*, Protocol>, Cuts> of_matrix_;
};

Collective collective_of(const Planned& p, const Sequence& sequence, const SequencePlan& plan, const Cuts& cuts,
                         const CollectiveSettings& settings) {
  const Layout& layout = layouts()[p.choice.layout];
  const SliceCut& cut = cuts.any;
  Collective collective;
  collective.schedule = cuts.schedule;
  collective.schedules = cuts.schedules;
  collective.kind = p.call.kind;
  collective.bytes = p.call.bytes;
  collective.start_ps = p.call.start_ps;
  collective.phases = cut.phases;
  collective.slices_full = cut.slices_full;
  collective.slices_tail = cut.slices_tail;
  collective.slots = cut.slots;
  collective.composed = layout.stages != nullptr;
  if (!collective.composed && p.call.part != KernelPart::later)
    collective.launch_latency_ps = settings.launch_latency_ps;
  if (layout.algorithm == Algorithm::p2p && p.call.part == KernelPart::whole)
    collective.launch_latency_ps += settings.p2p_latency_ps;
  collective.group = static_cast<u32>(std::ranges::find(plan.groups, p.group()) - plan.groups.begin());
  collective.algorithm = layout.algorithm;
  collective.protocol = p.choice.protocol;
  collective.channel_ps_per_byte_q16 =
      channel_ps_per_byte_q16(settings, layout.algorithm, p.choice.protocol,
                              nvls_heads(sequence.options, sequence.options.gpus / sequence.options.gpus_per_server));
  collective.eager = collective.schedules == 1 && !collective.composed && p.call.bytes <= sequence.options.eager_bytes;
  return collective;
}

/// The window of all-to-alls: as many peers at once as NCCL has thread blocks for.
u32 window_of(const JobOptions& options, const Layout& layout) {
  return layout.algorithm == Algorithm::p2p ? options.p2p_window_peers * options.p2p_channels : 0;
}

/// The most slices on any connection of its group.
u32 max_slices(const Collective& collective, const World& world) {
  u32 most = 0;
  for (u32 schedule = collective.schedule; schedule < collective.schedule + collective.schedules; ++schedule)
    most = std::max(most, world.collectives.schedules[schedule].total);
  return most;
}

/// Checks that a CTS admits whole chunks, or that a chunk is a multiple of what it admits.
void check_slices_per_cts(const SequencePlan& plan, const JobOptions& options, u32 job, const World& world) {
  const u32 at_once = options.slices_per_cts;
  if (at_once == 1) return;
  if (!std::has_single_bit(at_once))
    throw ConfigError(fmt::format("job[{}].slices_per_cts = {}: must be 1, 2, 4 or 8", job, at_once));
  for (const Collective& c : plan.collectives) {
    if (c.composed) continue;
    for (u32 schedule = c.schedule; schedule < c.schedule + c.schedules; ++schedule) {
      const u32 slices = world.collectives.schedules[schedule].total;
      if (slices % at_once == 0 && at_once <= c.slots) continue;
      throw ConfigError(fmt::format(
          "job[{0}].slices_per_cts = {1}: {2} of {3} B by {4} ({5}) has connections of {6} slices and {7} slots, "
          "and a CTS of {1} slices needs a multiple of {1}, and as many slots. Leave slices_per_cts at 1, or "
          "change how it is cut: chunks of rings by the simple protocol have 2 slices (set job[{0}].algorithm = "
          "\"ring\" and protocol = \"simple\"); of send/recv p2p_slice and p2p_channels decide",
          job, at_once, collective_name(c.kind), c.bytes, algorithm_name(c.algorithm), protocol_name(c.protocol),
          slices, c.slots));
    }
  }
}

/// Checks that a group's slices can be numbered through all its collectives.
void check_slices(const SequencePlan& plan, const JobOptions& options, u32 job, const World& world) {
  for (u32 g = 0; g < plan.groups.size(); ++g) {
    u64 slices = 0;
    std::map<u32, u64> max_by_schedule;  // a matrix has many schedules, and many collectives that use them
    for (const Collective& c : plan.collectives) {
      if (c.group != g) continue;
      const auto [known, is_new] = max_by_schedule.try_emplace(c.schedule, 0);
      if (is_new) known->second = max_slices(c, world);
      slices += known->second;
    }
    slices *= plan.rounds;
    if (slices <= kMaxSlices) continue;
    const Layout& layout = layouts()[plan.groups[g].layout];
    const bool send_recv = layout.algorithm == Algorithm::p2p;
    throw ConfigError(
        fmt::format("job[{0}]: all that one communicator does by {4} is {1} slices on every connection, and slices are "
                    "numbered up to {2}, as slots and QPs follow from the numbers; use a larger job[{0}].{3} (now {5} "
                    "B; of the simple protocol), a smaller repeat or fewer iterations, or several jobs with share_gpus "
                    "= true that start one after the other",
                    job, slices, kMaxSlices, send_recv ? "p2p_slice" : "slice", algorithm_name(layout.algorithm),
                    send_recv ? options.p2p_slice_bytes : options.slice_bytes));
  }
}

void check_count(u64 collectives, u32 job) {
  if (collectives <= kMaxCollectives) return;
  throw ConfigError(fmt::format(
      "job[{}]: with it there are more than {} collectives; use fewer sizes or a smaller repeat (of a training "
      "job or trace: fewer iterations, micro_batches, layers)",
      job, kMaxCollectives));
}

}  // namespace

JobOptions options_of(const JobOptions& sequence, const PlannedGroup& group) {
  JobOptions options = sequence;
  options.channels = group.channels;
  return options;
}

bool SequencePlan::only_all_to_all() const {
  return std::ranges::all_of(collectives,
                             [](const Collective& c) { return c.kind == CollectiveKind::all_to_all && !c.composed; });
}

SequencePlan plan_sequence(const Sequence& sequence, u32 job, World& world) {
  const JobOptions& options = sequence.options;
  const TunerInput tuner = tuner_input(world, options);
  std::vector<Planned> planned;
  SequencePlan plan;
  u64 count = 0;
  for (const CollectiveCall& call : sequence.calls) {
    planned.push_back({call, choose(options, call.kind, call.bytes, tuner)});
    count += u64{call.repeat} * sequence.rounds;
    check_count(count, job);
  }
  std::set<PlannedGroup> groups;
  for (const Planned& p : planned) groups.insert(p.group());
  plan.groups.assign(groups.begin(), groups.end());
  Schedules schedules(sequence, world);
  for (const Planned& p : planned)
    plan.collectives.insert(plan.collectives.end(), p.call.repeat,
                            collective_of(p, sequence, plan, schedules.of(p), world.collectives.settings));
  plan.rounds = sequence.rounds;
  check_slices(plan, options, job, world);
  check_slices_per_cts(plan, options, job, world);
  return plan;
}

void count_groups(const Sequence& sequence, const SequencePlan& plan, bool in_tables, WorkloadCounts& counts) {
  for (const PlannedGroup& group : plan.groups)
    layouts()[group.layout].count(options_of(sequence.options, group), sequence.options.gpus, in_tables, counts);
  counts.collectives += plan.count();
}

void add_groups(const JobBuilder& builder, const SequencePlan& plan, bool in_tables) {
  CollectivePlan& all = builder.world.collectives;
  for (const PlannedGroup& planned : plan.groups) {
    const Layout& layout = layouts()[planned.layout];
    const JobOptions options = options_of(builder.options, planned);
    ChannelEndGroup group;
    group.window = window_of(options, layout);
    group.first_channel_end = static_cast<u32>(all.channel_ends.size());
    group.first_connection = static_cast<u32>(all.connections.size());
    if (in_tables) layout.add_channel_ends(builder.with(options));
    group.channel_ends = static_cast<u32>(all.channel_ends.size()) - group.first_channel_end;
    group.connections = static_cast<u32>(all.connections.size()) - group.first_connection;
    builder.job().groups.push_back(group);
  }
}

void add_collectives(const JobBuilder& builder, const SequencePlan& plan) {
  CollectivePlan& all = builder.world.collectives;
  check_count(all.collectives.size() + plan.count(), builder.index);
  builder.job().collectives.reserve(plan.count());
  for (u32 round = 0; round < plan.rounds; ++round) {
    for (Collective collective : plan.collectives) {
      collective.job = builder.number;
      builder.job().collectives.push_back(static_cast<u32>(all.collectives.size()));
      all.collectives.push_back(collective);
    }
  }
}

}  // namespace heddle
