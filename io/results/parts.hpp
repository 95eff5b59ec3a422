// The groups of an open result file.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/results/hdf5.hpp"
#include "io/results/histogram.hpp"
#include "io/results/pause_lengths.hpp"
#include "io/results/series.hpp"
#include "io/results/series_rows.hpp"
#include "io/results/table.hpp"
#include "io/results/writer.hpp"

namespace heddle {

struct ResultParts {
  std::string path, part_path;
  const World* world = nullptr;
  h5::Handle file;
  LinkTiers tiers;
  std::string fabric_names;  // that tables name their codes by
  std::unique_ptr<Table> messages, collectives, iterations, link_outcomes, pfc, drops, failures, completions, phases,
      checkpoints, message_summaries, message_kind_summaries, iteration_summaries, collective_summaries,
      training_checkpoints, requests, request_summaries, plans;
  std::unique_ptr<Table> gpu_times, tcp_windows;  // null: nobody asked for it
  /// The tables of events in this file.
  std::vector<Table*> event_tables() const {
    std::vector<Table*> all = {pfc.get(), drops.get(), failures.get(), completions.get()};
    if (gpu_times) all.push_back(gpu_times.get());
    if (tcp_windows) all.push_back(tcp_windows.get());
    return all;
  }
  /// The tables that the Outcome fills at the end.
  std::array<Table*, 14> end_tables() const {
    return {messages.get(),
            collectives.get(),
            iterations.get(),
            link_outcomes.get(),
            phases.get(),
            checkpoints.get(),
            message_summaries.get(),
            message_kind_summaries.get(),
            iteration_summaries.get(),
            collective_summaries.get(),
            training_checkpoints.get(),
            requests.get(),
            request_summaries.get(),
            plans.get()};
  }
  std::unique_ptr<Series> tier_series, link_series;
  std::unique_ptr<Histogram> queue_depth, message_completion, pause_length, cts_wait;
  /// The histograms in this file.
  std::vector<Histogram*> histograms() const {
    std::vector<Histogram*> all = {queue_depth.get(), message_completion.get(), pause_length.get()};
    if (cts_wait) all.push_back(cts_wait.get());
    return all;
  }
  /// The histograms that rows fill during the run.
  std::vector<Histogram*> growing_histograms() const {
    std::vector<Histogram*> all = {queue_depth.get(), pause_length.get()};
    if (cts_wait) all.push_back(cts_wait.get());
    return all;
  }
  std::unique_ptr<PauseLengths> pauses;
  std::function<std::vector<RoutedFlows>()> routed_flows;  // ResultSettings
  std::function<std::vector<PlanRow>()> made_plans;        // likewise
  IdleStretch idle;

  u64 rows_max_bytes = ~u64{0};  // rows of /series and /event may take so much
  u64 file_max_bytes = ~u64{0};  // and the file with them, before what finish() writes
  bool failed = false;           // rows could not be written: nothing more is
  bool full = false;             // they do: rows that come now are not written
  u64 events_since_check = 0;    // the size is looked at once per chunk of events
  bool replaces = false;         // a file had the name `path` as this one was begun

  h5::Place place(std::string_view object = {}) const { return {part_path, object}; }
};

/// Creates every group and dataset of an empty file (content.cpp). What is known at the start is written at once.
void create_content(ResultParts& parts, const ResultSettings& settings);
/// Root attributes; those that the end decides come as fixed texts and numbers to be overwritten.
void write_root_attributes(ResultParts& parts, const ResultSettings& settings);
/// In SWMR mode, before the first row: so that the texts of overwrite_root_attributes() have their place in the file.
void make_room_for_last_texts(ResultParts& parts);
/// Rows of /series and /event that wait for their chunk to fill.
void finish_rows(ResultParts& parts);
/// Rows that the outcome decides: /message, /collective, /link, /histogram, /perf.
void write_outcome(ResultParts& parts, const Outcome& outcome, const Perf& perf);
/// Throws OutputError when the file under the .part's name is not the open one: another run, or somebody, has replaced
/// or removed it.
void check_is_ours(const ResultParts& parts);
/// Root attributes that the outcome decides.
void overwrite_root_attributes(ResultParts& parts, const Outcome& outcome, std::string_view status);

}  // namespace heddle
