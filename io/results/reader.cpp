#include "io/results/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/results/consistency.hpp"
#include "io/results/input_file.hpp"
#include "io/results/layout.hpp"
#include "io/results/slowest_ranks.hpp"
#include "io/results/trial_reading.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

void check_format(const InputFile& file, const std::string& path) {
  const std::string format = file.has_attribute("/", "format") ? file.text_attribute("/", "format") : "";
  if (format != layout::kFormat) {
    throw InputError(
        fmt::format("cannot read '{}': an HDF5 file, but not a result of 'heddle run' (its attribute 'format' is "
                    "not '{}'); give a file that 'heddle run' wrote",
                    path, layout::kFormat));
  }
  const u64 version = file.number_attribute("/", "format_version");
  if (version > layout::kFormatVersion) {
    throw InputError(
        fmt::format("cannot read '{}': its format version {} is newer than {}, the last one that this program "
                    "knows; use heddle {} or later",
                    path, version, layout::kFormatVersion, file.text_attribute("/", "software_version")));
  }
}

u64 hash_of(const std::string& hex) {
  u64 value = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
  return value;
}

Provenance read_provenance(const InputFile& file) {
  Provenance p;
  p.software_version = file.text_attribute("/", "software_version");
  p.git_commit = file.text_attribute("/", "git_commit");
  p.git_dirty = file.number_attribute("/", "git_dirty") != 0;
  p.build = file.text_attribute("/", "build");
  p.date = file.text_attribute("/", "date");
  p.command_line = file.text_attribute("/", "command_line");
  p.hosts = file.text_attribute("/", "hosts");
  p.slurm_job_id = file.text_attribute("/", "slurm_job_id");
  p.ranks = static_cast<u32>(file.number_attribute("/", "ranks"));
  p.threads = static_cast<u32>(file.number_attribute("/", "threads"));
  p.devices = file.text_attribute("/", "devices");
  p.config_hash = hash_of(file.text_attribute("/", "config_hash"));
  p.topology_hash = hash_of(file.text_attribute("/", "topology_hash"));
  p.workload_hash = hash_of(file.text_attribute("/", "workload_hash"));
  return p;
}

/// Whether a later version added this total, so that older files lack it.
bool came_later(std::string_view total) {
  for (const char* later :
       {"data_packets_out_of_order", "data_packets_duplicate", "largest_reordering_packets", "flowlets",
        "flowlet_collisions", "path_changes", "drops_link_down", "drops_corrupted", "drops_no_route", "detours"}) {
    if (total == later) return true;
  }
  return false;
}

void read_totals(const InputFile& file, RunSummary& run) {
  for_each_total(run.totals, [&](const char* name, u64& sum) {
    if (came_later(name) && !file.has_attribute("/", name)) {
      run.unknown_totals.insert(name);
    } else {
      sum = file.number_attribute("/", name);
    }
  });
}

Perf read_perf(const InputFile& file) {
  Perf perf;
  perf.wall_s = file.real_attribute("/perf", "wall_s");
  perf.packet_hops = file.number_attribute("/perf", "packet_hops");
  perf.memory_bytes = file.number_attribute("/perf", "memory_bytes");
  perf.exchanges = file.number_attribute("/perf", "exchanges");
  perf.exchanged_bytes = file.number_attribute("/perf", "exchanged_bytes");
  perf.process_runs = file.number_attribute("/perf", "sittings");
  const std::vector<std::string> names = file.texts("/perf/phase/phase");
  const std::vector<double> wall_s = file.reals("/perf/phase/wall_s");
  for (size_t i = 0; i < std::min(names.size(), wall_s.size()); ++i) perf.phases.push_back({names[i], wall_s[i]});
  return perf;
}

/// Columns may differ in length in a killed run's file: the shortest counts.
template <class... Columns>
size_t common_rows(const Columns&... columns) {
  return std::min({columns.size()...});
}

/// Where it has to be, and is not, reading it fails.
template <class Row, class Value>
bool in_file(const InputFile& file, const std::string& group, const Column<Row, Value>& column) {
  return !column.came_later || file.has(group + column.name);
}

u64 sum(const std::vector<u64>& values) {
  u64 total = 0;
  for (const u64 value : values) total += value;
  return total;
}

MessageSummary read_messages(const InputFile& file) {
  const std::vector<i64> finish = file.signed_numbers("/message/finish_ps");
  MessageSummary s;
  s.messages = finish.size();
  s.finished = static_cast<u64>(std::ranges::count_if(finish, [](TimePs t) { return t >= 0; }));
  for_each_column<MessageOutcome>([&](const auto& column) {
    if (column.is_count() && in_file(file, "/message/", column))
      s.sums[column.name] = sum(file.numbers(fmt::format("/message/{}", column.name)));
  });
  s.received_known = file.has_attribute("/", "received_bytes") && file.has_attribute("/", "goodput_bits_per_s");
  if (!s.received_known) return s;
  s.received_bytes = file.number_attribute("/", "received_bytes");
  const double goodput = file.real_attribute("/", "goodput_bits_per_s");
  if (!std::isnan(goodput)) s.goodput_bits_per_s = goodput;
  return s;
}

std::vector<CollectiveRow> read_collectives(const InputFile& file) {
  const auto column = [&](const char* name) { return file.signed_numbers(std::string("/collective/") + name); };
  const std::vector<i64> id = column("id"), job = column("job"), kind = column("kind"), algorithm = column("algorithm"),
                         ranks = column("ranks"), bytes = column("bytes"), start = column("start_ps"),
                         finish = column("finish_ps"), first = column("first_rank_ps"), done = column("ranks_finished");
  const std::vector<double> algbw = file.reals("/collective/algbw_GBps"), busbw = file.reals("/collective/busbw_GBps");
  const std::map<u64, std::string> kinds = file.meanings("/collective/kind"),
                                   algorithms = file.meanings("/collective/algorithm");
  // Files of versions with a single protocol have no such column.
  const bool with_protocols = file.has("/collective/protocol");
  const std::vector<i64> protocol = with_protocols ? column("protocol") : std::vector<i64>(id.size(), 0);
  const std::map<u64, std::string> protocols =
      with_protocols ? file.meanings("/collective/protocol") : std::map<u64, std::string>{{0, "simple"}};
  const bool with_transfer = file.has("/collective/transfer_busbw_GBps");
  const std::vector<double> transfer =
      with_transfer ? file.reals("/collective/transfer_busbw_GBps") : std::vector<double>(id.size(), 0);
  const bool with_groups = file.has("/collective/group");
  const std::vector<i64> group = with_groups ? column("group") : std::vector<i64>(id.size(), 0);
  std::vector<CollectiveRow> rows;
  const size_t n = common_rows(id, job, kind, algorithm, protocol, ranks, bytes, start, finish, first, done, algbw,
                               busbw, group, transfer);
  rows.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    if (group[i] != static_cast<i64>(Group::all)) continue;
    CollectiveRow row;
    row.id = static_cast<u32>(id[i]);
    row.job = static_cast<u32>(job[i]);
    row.ranks = static_cast<u32>(ranks[i]);
    row.ranks_finished = static_cast<u32>(done[i]);
    row.kind = kinds.at(static_cast<u64>(kind[i]));
    row.algorithm = algorithms.at(static_cast<u64>(algorithm[i]));
    row.protocol = protocols.at(static_cast<u64>(protocol[i]));
    row.bytes = static_cast<u64>(bytes[i]);
    row.start_ps = start[i];
    row.finish_ps = finish[i];
    row.first_rank_ps = first[i];
    row.algbw_GBps = algbw[i];
    row.busbw_GBps = busbw[i];
    if (with_transfer) row.transfer_busbw_GBps = transfer[i];
    rows.push_back(row);
  }
  return rows;
}

void read_tiers(const InputFile& file, RunSummary& run) {
  const auto column = [&](const char* name) { return file.numbers(std::string("/series/tier/") + name); };
  std::vector<i64> times = file.signed_numbers("/series/tier/time_ps");
  const std::vector<std::string> names = file.texts("/series/tier/tier");
  const std::vector<u64> links = column("links"), rates = column("bits_per_s"), queue = column("queue_bytes"),
                         sent = column("sent_bytes"), paused = column("paused_ps"), marks = column("ecn_marks"),
                         drops = column("drops");
  const size_t tiers = names.size();
  if (links.size() != tiers || rates.size() != tiers) {
    refuse_damaged(run.path, fmt::format("/series/tier names {} tiers, but describes {} and {} of them (links, "
                                         "bits_per_s)",
                                         tiers, links.size(), rates.size()));
  }
  const size_t values = common_rows(queue, sent, paused, marks, drops);
  times.resize(std::min(times.size(), tiers == 0 ? 0 : values / tiers));
  run.series_rows = times.size();
  if (!times.empty()) run.last_series_ps = times.back();
  for (size_t t = 0; t < tiers; ++t) {
    TierRow row{names[t], static_cast<u32>(links[t]), rates[t]};
    if (!times.empty()) {
      const size_t last = (times.size() - 1) * tiers + t;
      row.sent_bytes = sent[last];
      row.paused_ps = paused[last];
      row.ecn_marks = marks[last];
      row.drops = drops[last];
    }
    for (size_t i = t; i < times.size() * tiers; i += tiers)
      row.peak_queue_bytes = std::max(row.peak_queue_bytes, queue[i]);
    run.tiers.push_back(row);
  }
}

LinkNames read_link_names(const InputFile& file) {
  LinkNames names;
  names.node_names = file.texts("/topology/node/name");
  for (const u64 tier : file.numbers("/topology/node/tier"))
    names.node_tiers.push_back(static_cast<Tier>(std::min<u64>(tier, kMaxTiers - 1)));
  names.tier_names = file.meanings("/topology/node/tier");
  const auto column = [&](const char* name) {
    const std::vector<u64> wide = file.numbers(std::string("/topology/link/") + name);
    return std::vector<u32>(wide.begin(), wide.end());
  };
  names.src = column("src");
  names.dst = column("dst");
  names.src_port = column("src_port");
  names.dst_port = column("dst_port");
  const bool ended = file.has("/link/mean_bits_per_s") && file.rows("/link/mean_bits_per_s") > 0;
  names.bits_per_s = file.numbers(ended ? "/link/mean_bits_per_s" : "/topology/link/bits_per_s");
  return names;
}

/// Whether the names are those of `links` links.
bool names_fit(const LinkNames& names, size_t links) {
  const size_t nodes = common_rows(names.node_names, names.node_tiers);
  const auto is_node = [&](u32 node) { return node < nodes; };
  return common_rows(names.src, names.dst, names.src_port, names.dst_port, names.bits_per_s) >= links &&
         std::all_of(names.src.begin(), names.src.end(), is_node) &&
         std::all_of(names.dst.begin(), names.dst.end(), is_node);
}

/// Returns RoutedFlows of every link; empty where that is unknown, as in files of the first versions.
std::vector<RoutedFlows> read_routed_flows(const InputFile& file, size_t links) {
  if (!file.has("/link/qps") || !file.has("/link/messages")) return {};
  const std::vector<i64> qps = file.signed_numbers("/link/qps"), messages = file.signed_numbers("/link/messages");
  if (common_rows(qps, messages) < links) return {};
  std::vector<RoutedFlows> routed;
  for (size_t l = 0; l < links; ++l) {
    if (qps[l] < 0 || messages[l] < 0) return {};
    routed.push_back({static_cast<u64>(qps[l]), static_cast<u64>(messages[l])});
  }
  return routed;
}

/// Adds how even links were in the intervals of /series/link, where that exists. Reads a few MB of rows at a time.
void read_balance_in_time(const InputFile& file, const LinkNames& names, size_t links, LinkSummary& summary) {
  constexpr u64 kBlockValues = 1 << 20;
  const std::string sent = "/series/link/sent_bytes";
  if (links == 0 || !file.has("/series/link") || !file.has(sent)) return;
  const u64 rows = std::min(file.rows(sent), file.rows("/series/link/time_ps"));
  const LinksByKind kinds = links_by_kind(names, links);
  std::vector<BalanceInTime> in_time(kinds.size());
  std::vector<u64> before(links);
  std::vector<double> loads;
  const u64 block = std::max<u64>(kBlockValues / links, 1);
  for (u64 first = 0; first < rows; first += block) {
    const u64 count = std::min(block, rows - first);
    const std::vector<u64> values = file.numbers_of_rows(sent, first, count);
    if (values.size() != count * links) return;
    for (u64 row = 0; row < count; ++row) {
      const u64* now = values.data() + row * links;
      auto of_kind = in_time.begin();
      for (const auto& [key, members] : kinds) {
        loads.clear();
        for (const u32 l : members)
          loads.push_back(static_cast<double>(now[l] - std::min(now[l], before[l])) /
                          static_cast<double>(std::max<u64>(names.bits_per_s[l], 1)));
        (of_kind++)->add(loads);
      }
      before.assign(now, now + links);
    }
  }
  for (size_t k = 0; k < in_time.size(); ++k)
    if (rows > 0) summary.kinds[k].busiest_over_mean_in_time = in_time[k].busiest_over_mean();
}

LinkSummary read_links(const InputFile& file, const RunSummary& run) {
  if (!file.has("/link") || file.rows("/link/link") == 0) return {};
  std::vector<LinkOutcome> links;
  u64 n = ~u64{0};
  for_each_column<LinkOutcome>([&](const auto& column) {
    if (!in_file(file, "/link/", column)) return;
    const std::string name = fmt::format("/link/{}", column.name);
    const auto take = [&](const auto& values) {
      n = std::min(n, values.size());
      links.resize(n);
      for (size_t l = 0; l < n; ++l) links[l].*column.member = values[l];
    };
    if constexpr (std::is_same_v<decltype(column.member), TimePs LinkOutcome::*const>)
      take(file.signed_numbers(name));
    else
      take(file.numbers(name));
  });
  const LinkNames names = read_link_names(file);
  if (!names_fit(names, n)) {
    refuse_damaged(run.path, fmt::format("/link has {} links, but /topology does not name them and their ends", n));
  }
  LinkSummary summary =
      summarize_links(names, links, run.end_ps, run.status == "stalled", read_routed_flows(file, links.size()));
  read_balance_in_time(file, names, links.size(), summary);
  return summary;
}

}  // namespace

RunSummary read_summary(const std::string& path) {
  const InputFile file(path, try_reading(path));
  check_format(file, path);
  RunSummary run;
  run.path = path;
  run.status = file.text_attribute("/", "status");
  check_consistent(file, path, run.status);
  run.explanation = file.text_attribute("/", "explanation");
  run.digest = file.text_attribute("/", "digest");
  run.seed = file.number_attribute("/", "seed");
  run.tick_ps = file.signed_attribute("/", "tick_ps");
  run.horizon_ps = file.signed_attribute("/", "horizon_ps");
  run.end_ps = file.signed_attribute("/", "end_ps");
  run.series_interval_ps = file.signed_attribute("/", "series_interval_ps");
  run.provenance = read_provenance(file);
  const std::vector<std::string> config = file.texts("/config");
  if (!config.empty()) run.config_toml = config[0];
  read_totals(file, run);
  run.perf = read_perf(file);
  const std::vector<u64> kinds = file.numbers("/topology/node/kind");
  run.endpoints = static_cast<u64>(std::count(kinds.begin(), kinds.end(), 0u));
  run.switches = kinds.size() - run.endpoints;
  run.links = file.rows("/topology/link/link");
  run.messages = read_messages(file);
  if (!run.partial()) {
    run.summaries = read_summaries(file);
    run.message_kinds = read_message_kinds(file);
    run.requests = read_request_summaries(file);
    run.plans = read_plans(file);
  }
  run.collectives = read_collectives(file);
  find_slowest_ranks(file, run.collectives);
  run.iterations = read_iterations(file);
  run.training_checkpoints = read_training_checkpoints(file);
  read_tiers(file, run);
  run.link_summary = read_links(file, run);
  run.pfc_events = file.rows("/event/pfc/time_ps");
  run.drop_events = file.rows("/event/drop/time_ps");
  if (file.has("/event/failure/time_ps")) run.failure_events = file.rows("/event/failure/time_ps");
  run.completion_events = file.rows("/event/completion/time_ps");
  return run;
}

}  // namespace heddle
