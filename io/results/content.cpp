// The content of a result file, from the World at the start and from the Outcome at the end.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/results/bandwidth.hpp"
#include "io/results/declared.hpp"
#include "io/results/ideal.hpp"
#include "io/results/iterations.hpp"
#include "io/results/layout.hpp"
#include "io/results/mean_rates.hpp"
#include "io/results/message_kinds.hpp"
#include "io/results/parts.hpp"
#include "io/results/requests.hpp"
#include "io/results/summaries.hpp"
#include "io/results/training_checkpoints.hpp"
#include "kernels/base/units.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/world/fabric_of.hpp"

namespace heddle {
namespace {

std::unique_ptr<Table> make_table(ResultParts& parts, TableSpec spec, u64 rows) {
  const u64 chunk_rows = std::clamp<u64>(rows, 1, layout::kBulkChunkRows);
  return std::make_unique<Table>(parts.file.get(), parts.part_path, std::move(spec), chunk_rows);
}

std::unique_ptr<Table> make_event_table(ResultParts& parts, TableSpec spec) {
  return std::make_unique<Table>(parts.file.get(), parts.part_path, std::move(spec), layout::kEventChunkRows);
}

/// A scalar of fixed width: readers see one string.
void write_text(ResultParts& parts, const std::string& dataset_path, const std::string& content,
                const char* long_name) {
  const h5::Place place = parts.place(dataset_path);
  const h5::Handle type(H5Tcopy(H5T_C_S1));
  const std::string text = content.empty() ? std::string(1, '\0') : content;
  H5Tset_size(type.get(), text.size());
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const h5::Handle space(H5Screate(H5S_SCALAR)), properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(properties.get(), false);
  const h5::Handle dataset = h5::created(H5Dcreate2(parts.file.get(), dataset_path.c_str(), type.get(), space.get(),
                                                    H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                                         place, "create dataset");
  h5::write_attribute(dataset.get(), "units", "1", place);
  h5::write_attribute(dataset.get(), "long_name", long_name, place);
  h5::written(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), place, "write");
}

std::string node_name(const Fabric& fabric, NodeId node) {
  return node < fabric.names.size() ? fabric.names[node] : fmt::format("node{}", node);
}

void write_parameters(ResultParts& parts, const std::vector<ConfigValue>& values) {
  size_t key_bytes = 1, text_bytes = 1;
  for (const ConfigValue& value : values) {
    key_bytes = std::max(key_bytes, value.key.size());
    text_bytes = std::max(text_bytes, value.text.size());
  }
  const auto table =
      make_table(parts, layout::parameters(static_cast<u32>(key_bytes), static_cast<u32>(text_bytes)), values.size());
  for (const ConfigValue& value : values) {
    table->append({cell(std::string_view(value.key)), cell(value.element), cell(std::string_view(value.text)),
                   cell(value.number), cell(std::string_view(value.unit))});
  }
  table->finish();
  table->close();
}

void write_job_ranks(ResultParts& parts) {
  const Fabric& fabric = parts.world->fabric;
  const std::vector<std::vector<EndpointId>> jobs = gpus_by_job(*parts.world);
  size_t width = 1, rows = 0;
  for (const std::vector<EndpointId>& gpus : jobs) {
    rows += gpus.size();
    for (const EndpointId e : gpus) width = std::max(width, node_name(fabric, e).size());
  }
  const auto table = make_table(parts, layout::job_ranks(static_cast<u32>(width)), rows);
  for (u32 j = 0; j < jobs.size(); ++j) {
    for (u32 rank = 0; rank < jobs[j].size(); ++rank) {
      const std::string name = node_name(fabric, jobs[j][rank]);
      table->append({cell(j), cell(rank), cell(jobs[j][rank]), cell(std::string_view(name))});
    }
  }
  table->finish();
  table->close();
}

void write_communicators(ResultParts& parts) {
  const std::vector<Job>& all = parts.world->collectives.jobs;
  size_t rows = 0;
  u32 groups = all.empty() ? ~0u : 0;
  for (const Job& c : all) {
    rows += c.ranks.size();
    groups |= layout::code_bit(static_cast<u32>(c.group));
  }
  const auto table = make_table(parts, layout::communicators(groups), rows);
  for (u32 c = 0; c < all.size(); ++c) {
    for (u32 rank = 0; rank < all[c].ranks.size(); ++rank)
      table->append(
          {cell(c), cell(all[c].number), cell(static_cast<u32>(all[c].group)), cell(rank), cell(all[c].ranks[rank])});
  }
  table->finish();
  table->close();
}

void write_nodes(ResultParts& parts) {
  const Fabric& fabric = parts.world->fabric;
  size_t width = 1;
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) width = std::max(width, node_name(fabric, n).size());
  u32 tiers = 0;
  for (const Node& node : fabric.nodes) tiers |= layout::code_bit(static_cast<u32>(node.tier));
  std::string tier_names;
  for (const TierInfo& tier : fabric.tiers) tier_names += (tier_names.empty() ? "" : " ") + tier.name;
  const auto table = make_table(parts, layout::nodes(static_cast<u32>(width), tier_names, tiers), fabric.nodes.size());
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) {
    const Node& node = fabric.nodes[n];
    const std::string name = node_name(fabric, n);
    table->append({cell(n), cell(std::string_view(name)), cell(static_cast<u32>(node.kind)),
                   cell(static_cast<u32>(node.tier)), cell(node.zone), cell(node.first_link), cell(node.ports)});
  }
  table->finish();
  table->close();
}

void write_links(ResultParts& parts) {
  const Fabric& fabric = parts.world->fabric;
  const auto table = make_table(parts, layout::links(), fabric.links.size());
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    const Link& link = fabric.links[l];
    table->append({cell(l), cell(link.src), cell(link.dst), cell(link.src_port), cell(link.dst_port),
                   cell(link.reverse), cell(bits_per_s_of(link.ps_per_byte_q16)), cell(link.prop_ps),
                   cell(link.lambda_ps), cell(link.phi_ps)});
  }
  table->finish();
  table->close();
}

std::vector<std::string> labels_of(const LinkTiers& tiers) {
  std::vector<std::string> labels;
  for (const LinkTiers::Kind& kind : tiers.kinds) labels.push_back(kind.label);
  return labels;
}

void create_tier_series(ResultParts& parts) {
  const LinkTiers& tiers = parts.tiers;
  parts.tier_series = std::make_unique<Series>(parts.file.get(), parts.part_path, "/series/tier",
                                               "link counters summed over the links between two tiers",
                                               tiers.kinds.size(), layout::kTierChunkRows);
  std::vector<u32> links;
  std::vector<u64> bits_per_s;
  for (const LinkTiers::Kind& kind : tiers.kinds) {
    links.push_back(kind.links);
    bits_per_s.push_back(kind.bits_per_s);
  }
  const std::vector<std::string> labels = labels_of(tiers);
  parts.tier_series->describe(layout::tier_labels(labels),
                              padded(labels, layout::tier_labels(labels).width_bytes).data());
  parts.tier_series->describe({"links", Element::uint32, "1", "directed links summed"}, links.data());
  parts.tier_series->describe({"bits_per_s", Element::uint64, "bit/s", "line rate, summed"}, bits_per_s.data());
}

void create_link_series(ResultParts& parts) {
  const u64 links = parts.world->fabric.links.size();
  parts.link_series = std::make_unique<Series>(parts.file.get(), parts.part_path, "/series/link",
                                               "counters of each directed link", links, layout::link_chunk_rows(links));
  std::vector<u32> ids(links);
  for (u32 l = 0; l < links; ++l) ids[l] = l;
  parts.link_series->describe({"link", Element::uint32, "1", "link id, see /topology/link"}, ids.data());
}

void create_pause_lengths(ResultParts& parts, bool pfc_events) {
  const std::string group = "/histogram/pause_length";
  const ColumnSpec lower{"pause_ps", Element::int64, "ps", "smallest length of the bin"};
  parts.pause_length =
      std::make_unique<Histogram>(parts.file.get(), parts.part_path, group, "pauses: RESUME decided - PAUSE decided",
                                  lower, labels_of(parts.tiers));
  parts.pauses = std::make_unique<PauseLengths>(parts.world->fabric, parts.tiers);
  const h5::Place place = parts.place(group);
  const h5::Handle handle = h5::created(H5Gopen2(parts.file.get(), group.c_str(), H5P_DEFAULT), place, "open");
  h5::write_attribute(handle.get(), "lacks",
                      std::string_view(pfc_events ? "" : "all pauses: output.pfc_events = false"), place);
  h5::write_attribute(handle.get(), "unfinished", u64{0}, place);
}

void create_cts_waits(ResultParts& parts) {
  const ColumnSpec lower{"wait_ps", Element::int64, "ps", "shortest wait of the bin"};
  parts.cts_wait = std::make_unique<Histogram>(
      parts.file.get(), parts.part_path, "/histogram/cts_wait",
      "slices over the network: ready and first of their connection - admitted", lower, std::vector<std::string>{});
}

void create_histograms(ResultParts& parts) {
  const ColumnSpec depth{"queue_bytes", Element::int64, "B", "smallest queue depth of the bin"};
  parts.queue_depth = std::make_unique<Histogram>(parts.file.get(), parts.part_path, "/histogram/queue_depth",
                                                  "egress queues of all links at the instants of the series", depth,
                                                  labels_of(parts.tiers));
  const ColumnSpec completion{"completion_ps", Element::int64, "ps", "smallest completion time of the bin"};
  parts.message_completion =
      std::make_unique<Histogram>(parts.file.get(), parts.part_path, "/histogram/message_completion",
                                  "explicit messages: finish - posted", completion, std::vector<std::string>{});
}

std::unique_ptr<Table> make_collectives(ResultParts& parts) {
  const std::vector<Collective>& collectives = parts.world->collectives.collectives;
  u32 kinds = 0, algorithms = 0, protocols = 0, groups = 0;
  for (const Collective& c : collectives) {
    kinds |= layout::code_bit(static_cast<u32>(c.kind));
    groups |= layout::code_bit(static_cast<u32>(parts.world->collectives.jobs[c.job].group));
    algorithms |= layout::code_bit(static_cast<u32>(c.algorithm));
    protocols |= layout::code_bit(static_cast<u32>(c.protocol));
  }
  if (collectives.empty())
    kinds = algorithms = protocols = groups = ~0u;  // a column of codes stays one also without rows
  parts.collective_summaries = make_table(parts, layout::collective_summaries(kinds, algorithms, protocols, groups),
                                          kinds_of_collectives(*parts.world));
  return make_table(parts, layout::collectives(kinds, algorithms, protocols, groups), collectives.size());
}

void write_message_summary(ResultParts& parts, const MessageTimes& times) {
  for (const MessagePercentile& p : times.percentiles)
    parts.message_summaries->append({cell(p.percent), cell(p.completion_ps), cell(u32{p.completion_at_least}),
                                     cell(p.times_the_ideal), cell(u32{p.ideal_at_least}), cell(times.posted),
                                     cell(times.finished)});
}

/// A row per percentile, also of a kind of which no message was posted: so it is known how many there are.
void write_message_kinds(ResultParts& parts, const std::vector<MessageKindSummary>& kinds) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const MessageKindSummary& sum : kinds) {
    for (const auto& [name, percent] : kPercentiles) {
      const MessagePercentile* found = sum.times.find(percent);
      const MessagePercentile p = found != nullptr ? *found : MessagePercentile{percent, -1, false, kNan, false};
      parts.message_kind_summaries->append({cell(static_cast<u32>(sum.kind.purpose)), cell(i64{sum.kind.job}),
                                            cell(sum.kind.fabric), cell(sum.kind.traffic_class), cell(sum.messages),
                                            cell(sum.received_bytes), cell(sum.goodput_bits_per_s.value_or(kNan)),
                                            cell(p.percent), cell(p.completion_ps), cell(u32{p.completion_at_least}),
                                            cell(p.times_the_ideal), cell(u32{p.ideal_at_least}),
                                            cell(sum.times.posted), cell(sum.times.finished)});
    }
  }
}

void write_messages(ResultParts& parts, const Outcome& outcome) {
  const World& world = *parts.world;
  const std::vector<MessageTime> times = times_of_messages(world, outcome, true);
  const std::vector<MessageOwner> owners = owners_of_messages(world);
  write_message_summary(parts, message_times(times, outcome));
  write_message_kinds(parts, message_kinds(world, outcome, times));
  for (MessageId m = 0; m < outcome.messages.size(); ++m) {
    const Message& message = world.traffic.messages[m];
    const Qp& qp = world.traffic.qps[message.qp];
    MessageOutcome o = outcome.messages[m];
    o.posted_ps = posted_ps(message, o);
    append_row(
        *parts.messages,
        {cell(m), cell(static_cast<u32>(owners[m].purpose)), cell(i64{owners[m].job}), cell(i64{owners[m].checkpoint}),
         cell(message.qp), cell(fabric_of_endpoint(world.fabric, qp.src)), cell(u32{qp.traffic_class}), cell(qp.src),
         cell(qp.dst), cell(message.bytes), cell(o.acked_ps), cell(times[m].ideal_ps)},
        o);
    if (o.acked_ps >= 0) parts.message_completion->count(0, o.acked_ps - o.posted_ps);
  }
}

void write_link_outcomes(ResultParts& parts, const Outcome& outcome) {
  const std::vector<RoutedFlows> routed = parts.routed_flows ? parts.routed_flows() : std::vector<RoutedFlows>();
  const std::vector<u64> rates = mean_bits_per_s(*parts.world, outcome.end_ps);
  for (LinkId l = 0; l < outcome.links.size(); ++l) {
    const i64 qps = routed.empty() ? -1 : static_cast<i64>(routed[l].qps);
    const i64 messages = routed.empty() ? -1 : static_cast<i64>(routed[l].messages);
    append_row(*parts.link_outcomes, {cell(l), cell(qps), cell(messages), cell(rates[l])}, outcome.links[l]);
  }
}

void write_collectives(ResultParts& parts, const Outcome& outcome) {
  const CollectivePlan& plan = parts.world->collectives;
  for (u32 c = 0; c < outcome.collectives.size(); ++c) {
    const Collective& collective = plan.collectives[c];
    const CollectiveTiming timing = collective_timing(*parts.world, outcome, c);
    append_row(
        *parts.collectives,
        {cell(c), cell(plan.jobs[collective.job].number), cell(static_cast<u32>(collective.kind)),
         cell(static_cast<u32>(collective.algorithm)), cell(static_cast<u32>(collective.protocol)),
         cell(static_cast<u32>(plan.jobs[collective.job].ranks.size())), cell(collective.bytes), cell(timing.finish_ps),
         cell(timing.algbw_GBps), cell(timing.busbw_GBps), cell(timing.transfer_busbw_GBps), cell(timing.finish_ps),
         cell(collective.job), cell(static_cast<u32>(plan.jobs[collective.job].group))},
        outcome.collectives[c]);
  }
  for (const CollectiveMean& mean : collective_means(*parts.world, outcome))
    parts.collective_summaries->append(
        {cell(mean.job), cell(static_cast<u32>(mean.group)), cell(static_cast<u32>(mean.kind)),
         cell(static_cast<u32>(mean.algorithm)), cell(static_cast<u32>(mean.protocol)), cell(mean.ranks),
         cell(mean.bytes), cell(u32{mean.driven}), cell(mean.number), cell(mean.finished), cell(mean.time_ps),
         cell(mean.busbw_GBps), cell(mean.transfer_ps), cell(mean.transfer_busbw_GBps)});
}

void write_iterations(ResultParts& parts, const Outcome& outcome) {
  const std::vector<IterationRow> rows = iteration_rows(*parts.world, outcome);
  for (const IterationRow& row : rows) {
    const auto mean = [&](u32 g) { return cell(row.exposed_ps[static_cast<u32>(kParallelGroups[g])]); };
    const auto most = [&](u32 g) { return cell(row.max_exposed_ps[static_cast<u32>(kParallelGroups[g])]); };
    append_row(*parts.iterations, {cell(row.job),     cell(row.iteration),
                                   cell(row.gpus),    cell(row.end_ps),
                                   cell(row.time_ps), cell(row.compute_ps),
                                   mean(0),           mean(1),
                                   mean(2),           mean(3),
                                   mean(4),           mean(5),
                                   mean(6),           most(0),
                                   most(1),           most(2),
                                   most(3),           most(4),
                                   most(5),           most(6)},
               row.outcome);
  }
  for (const MeanIteration& mean : mean_iterations(rows)) {
    const auto exposed = [&](u32 g) { return cell(mean.exposed_ps[static_cast<u32>(kParallelGroups[g])]); };
    parts.iteration_summaries->append({cell(mean.job), cell(u64{mean.iterations}), cell(u64{mean.ended}),
                                       cell(mean.time_ps), cell(mean.compute_ps), exposed(0), exposed(1), exposed(2),
                                       exposed(3), exposed(4), exposed(5), exposed(6)});
  }
}

/// As write_message_kinds().
void write_requests(ResultParts& parts, const Outcome& outcome) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<RequestRow> rows = request_rows(*parts.world, outcome);
  for (const RequestRow& row : rows)
    parts.requests->append({cell(i64{row.asker.generator}), cell(i64{row.asker.job}), cell(row.client),
                            cell(row.servers), cell(row.bytes), cell(row.begin_ps), cell(row.end_ps)});
  for (const RequestSummary& sum : request_summaries(rows, outcome)) {
    for (const auto& [name, percent] : kPercentiles) {
      const MessagePercentile* p = sum.times.find(percent);
      parts.request_summaries->append({cell(i64{sum.asker.generator}), cell(i64{sum.asker.job}), cell(sum.requests),
                                       cell(sum.times.posted), cell(sum.times.finished), cell(sum.received_bytes),
                                       cell(sum.bits_per_s.value_or(kNan)), cell(sum.requests_per_s.value_or(kNan)),
                                       cell(percent), cell(p == nullptr ? TimePs{-1} : p->completion_ps),
                                       cell(u32{p != nullptr && p->completion_at_least})});
    }
  }
}

void write_training_checkpoints(ResultParts& parts, const Outcome& outcome) {
  for (const TrainingCheckpoint& row : training_checkpoints(*parts.world, outcome))
    parts.training_checkpoints->append(
        {cell(row.job), cell(row.checkpoint), cell(row.gpus), cell(row.messages), cell(row.bytes), cell(row.begin_ps),
         cell(row.end_ps), cell(row.servers), cell(row.kind.fabric), cell(row.kind.traffic_class), cell(row.iteration),
         cell(row.exposed_ps), cell(row.step_ps), cell(row.next_step_ps), cell(row.undisturbed_step_ps)});
}

}  // namespace

void create_content(ResultParts& parts, const ResultSettings& settings) {
  const World& world = *parts.world;
  parts.routed_flows = settings.routed_flows;
  parts.made_plans = settings.plans;
  for (const std::string_view group : layout::kParentGroups) {
    const h5::Handle handle = h5::create_group(parts.file.get(), std::string(group), parts.place(group));
    if (group != "/perf") continue;
    for (const char* name : {"wall_s", "packet_hops_per_s"})
      h5::write_attribute(handle.get(), name, 0.0, parts.place(group));
    for (const char* name : {"packet_hops", "memory_bytes", "exchanges", "exchanged_bytes", "sittings"})
      h5::write_attribute(handle.get(), name, u64{0}, parts.place(group));
  }
  write_text(parts, "/config", settings.provenance.inputs.config_toml, "resolved configuration, TOML");
  if (!settings.fabric_svg.empty())
    write_text(parts, "/topology/picture", settings.fabric_svg, "picture of the fabric, SVG");
  write_parameters(parts, settings.provenance.parameters);
  write_nodes(parts);
  write_links(parts);
  write_job_ranks(parts);
  write_communicators(parts);
  parts.tiers = link_tiers(world.fabric);
  create_tier_series(parts);
  if (settings.link_series) create_link_series(parts);
  create_histograms(parts);
  if (settings.cts_waits) create_cts_waits(parts);
  create_pause_lengths(parts, settings.pfc_events);
  parts.fabric_names = fabric_names(world.fabric);
  parts.messages = make_table(parts, layout::messages(parts.fabric_names), world.traffic.messages.size());
  parts.collectives = make_collectives(parts);
  parts.iterations = make_table(parts, layout::iterations(), first_iterations(world.programs).back());
  parts.training_checkpoints =
      make_table(parts, layout::training_checkpoints(parts.fabric_names), count_training_checkpoints(world));
  parts.requests = make_table(parts, layout::requests(), world.traffic.requests.size());
  parts.request_summaries = make_table(parts, layout::request_summaries(), count_askers(world) * kPercentiles.size());
  parts.plans = make_table(parts, layout::plans(), world.routing.control.periods);
  parts.message_summaries = make_table(parts, layout::message_summaries(), kPercentiles.size());
  parts.message_kind_summaries = make_table(parts, layout::message_kind_summaries(parts.fabric_names),
                                            count_message_kinds(world) * kPercentiles.size());
  parts.iteration_summaries = make_table(parts, layout::iteration_summaries(), world.programs.tasks.size());
  parts.link_outcomes = make_table(parts, layout::link_outcomes(), world.fabric.links.size());
  parts.pfc = make_event_table(parts, layout::pfc_events());
  parts.drops = make_event_table(parts, layout::drop_events());
  parts.failures = make_event_table(parts, layout::failure_events());
  parts.completions = make_event_table(parts, layout::completion_events());
  if (settings.gpu_time) parts.gpu_times = make_event_table(parts, layout::gpu_time_events());
  if (settings.tcp_windows) parts.tcp_windows = make_event_table(parts, layout::tcp_window_events());
  parts.phases = make_table(parts, layout::phases(), 32);
  parts.checkpoints = make_table(parts, layout::checkpoints(), 32);
}

void finish_rows(ResultParts& parts) {
  end_idle_stretch(parts);
  parts.tier_series->finish();
  if (parts.link_series) parts.link_series->finish();
  for (Table* table : parts.event_tables()) table->finish();
}

void write_outcome(ResultParts& parts, const Outcome& outcome, const Perf& perf) {
  write_messages(parts, outcome);
  write_collectives(parts, outcome);
  write_iterations(parts, outcome);
  write_training_checkpoints(parts, outcome);
  write_requests(parts, outcome);
  if (parts.made_plans)
    for (const PlanRow& plan : parts.made_plans()) parts.plans->append({cell(plan.measured_ps), cell(plan.from_ps)});
  write_link_outcomes(parts, outcome);
  for (const PhaseTime& phase : perf.phases)
    parts.phases->append({cell(std::string_view(phase.name)), cell(phase.wall_s)});
  for (const SavedCheckpoint& saved : perf.checkpoints)
    parts.checkpoints->append({cell(saved.time_ps), cell(saved.wall_s)});
  for (Table* table : parts.end_tables()) table->finish();
  for (Histogram* histogram : parts.histograms()) histogram->finish();
  const h5::Place pauses_place = parts.place("/histogram/pause_length");
  const h5::Handle pauses =
      h5::created(H5Gopen2(parts.file.get(), "/histogram/pause_length", H5P_DEFAULT), pauses_place, "open");
  h5::overwrite_attribute(pauses.get(), "unfinished", parts.pauses->unfinished(), pauses_place);

  const h5::Place place = parts.place("/perf");
  const h5::Handle group = h5::created(H5Gopen2(parts.file.get(), "/perf", H5P_DEFAULT), place, "open");
  h5::overwrite_attribute(group.get(), "wall_s", perf.wall_s, place);
  h5::overwrite_attribute(group.get(), "packet_hops", perf.packet_hops, place);
  h5::overwrite_attribute(group.get(), "memory_bytes", perf.memory_bytes, place);
  h5::overwrite_attribute(group.get(), "exchanges", perf.exchanges, place);
  h5::overwrite_attribute(group.get(), "exchanged_bytes", perf.exchanged_bytes, place);
  h5::overwrite_attribute(group.get(), "sittings", perf.process_runs, place);
  const double rate = perf.wall_s > 0 ? static_cast<double>(perf.packet_hops) / perf.wall_s : 0;
  h5::overwrite_attribute(group.get(), "packet_hops_per_s", rate, place);
}

}  // namespace heddle
