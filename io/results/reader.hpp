// Reads back what `heddle info` and `heddle compare` show of a run.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/hot_links.hpp"
#include "io/results/iterations.hpp"
#include "io/results/message_kinds.hpp"
#include "io/results/percentile.hpp"
#include "io/results/plans.hpp"
#include "io/results/provenance.hpp"
#include "io/results/requests.hpp"
#include "io/results/summaries.hpp"
#include "io/results/training_checkpoints.hpp"
#include "kernels/base/types.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {

/// A row of /collective.
struct CollectiveRow {
  u32 id = 0, job = 0, ranks = 0, ranks_finished = 0;
  std::string kind, algorithm, protocol;
  u64 bytes = 0;
  TimePs start_ps = -1, finish_ps = -1, first_rank_ps = -1;
  double algbw_GBps = 0, busbw_GBps = 0;
  std::optional<double> transfer_busbw_GBps;  // not in the files of the first versions
  i64 slowest_rank = -1;    // the rank that finished last; -1: not finished, all at the same time, or not recorded
  std::string slowest_gpu;  // its name
};

/// Sums over explicit messages.
struct MessageSummary {
  u64 messages = 0, finished = 0;
  std::map<std::string_view, u64> sums;  // of the counts of MessageOutcome, by name; those that the file has
  bool received_known = false;           // not in the files of the first versions
  u64 received_bytes = 0;                // unfinished ones included
  std::optional<double> goodput_bits_per_s;
};

/// The last row of /series/tier: one kind of link over the whole run.
struct TierRow {
  std::string tier;
  u32 links = 0;
  u64 bits_per_s = 0, sent_bytes = 0, paused_ps = 0, ecn_marks = 0, drops = 0;
  u64 peak_queue_bytes = 0;  // largest sum over the kind's links at any instant of the series
};

struct RunSummary {
  std::string path;
  std::string status;       // "partial" when the run was killed or is still running
  std::string explanation;  // empty when complete
  std::string digest;
  u64 seed = 0;
  TimePs tick_ps = 0, horizon_ps = -1, end_ps = -1, series_interval_ps = 0;  // horizon -1: none; end -1: not ended
  Provenance provenance;                                                     // hashes included
  std::string config_toml;
  Totals totals;                         // zeros while partial
  std::set<std::string> unknown_totals;  // by name: not in the files of the first versions
  Perf perf;
  u64 endpoints = 0, switches = 0, links = 0;
  MessageSummary messages;
  std::optional<Summaries> summaries;             // absent in files of the first versions
  std::vector<MessageKindSummary> message_kinds;  // empty in files of the first versions
  std::vector<CollectiveRow> collectives;         // without those of training jobs
  std::vector<IterationRow> iterations;
  std::vector<TrainingCheckpoint> training_checkpoints;
  std::vector<RequestSummary> requests;
  std::vector<PlanRow> plans;
  std::vector<TierRow> tiers;
  LinkSummary link_summary;  // empty while partial, and in files of the first versions
  u64 series_rows = 0, pfc_events = 0, drop_events = 0, failure_events = 0, completion_events = 0;
  TimePs last_series_ps = -1;

  bool partial() const { return status == "partial"; }
};

/// Reads a result file, or a .part that a killed run left or that a run is writing now.
/// Throws InputError when the file does not exist, is not HDF5, not a result, of a newer format, or truncated.
RunSummary read_summary(const std::string& path);

}  // namespace heddle
