// Writes the result file of a run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/output_path.hpp"
#include "io/results/plans.hpp"
#include "io/results/provenance.hpp"
#include "io/results/routed_flows.hpp"
#include "kernels/outcome/counters.hpp"
#include "kernels/outcome/event.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;
enum class EndReason : u8;

struct ResultSettings {
  Provenance provenance;
  std::string fabric_svg;         // picture of the fabric, for /topology/picture; empty: none is stored
  bool link_series = false;       // also /series/link: [time, link], large
  TimePs series_interval_ps = 0;  // only recorded; 0 = no series is taken
  bool pfc_events = true;    // pauses and resumes are recorded; else /histogram/pause_length says that it lacks them
  bool cts_waits = false;    // waits for CTSs are recorded: also /histogram/cts_wait
  bool gpu_time = false;     // GPU activity is recorded: also /event/gpu_time, and completions of training jobs' ranks
  bool tcp_windows = false;  // changes of TCP's windows are recorded: also /event/tcp_window
  u64 max_bytes = ~u64{0};   // limit of the whole file; see full()
  bool overwrite = false;    // replace an existing file
  /// Called at the end of the run for what is routed over every link. No function, or an empty answer: unknown.
  std::function<std::vector<RoutedFlows>()> routed_flows;
  std::function<std::vector<PlanRow>()> plans;  // called likewise; no function: no plans travelled
  std::function<void()> begun;                  // called before the .part is named; until then the run has left no file
};

/// Returns the status attribute for a reason: "complete", "horizon", "stalled", "deadlock", "qp_failed", "error".
std::string_view status_name(EndReason reason);

struct ResultParts;

/// One result file, written as `path`.part while the run lasts and renamed to `path` by finish(). Whatever kills the
/// program, the .part can be read: all objects exist before the first row is written, rows come in whole chunks in
/// HDF5's SWMR mode, and even the final attributes are overwritten in place.
/// Every function throws OutputError, with path, dataset and reason, when HDF5 or the system fails.
class ResultWriter {
 public:
  ResultWriter(const std::string& path, const World& world, const ResultSettings& settings);

  /// Resumes where a killed run was when save() wrote `saved`: the file will equal that of an uninterrupted run. The
  /// rows of `path`.part go into a new file, `path`.part.new, which then takes its name; until then, and whenever this
  /// fails or is killed, the .part stays as it was and can be resumed from again. Where there is no .part, the rows are
  /// those of the finished file `path`, which only finish() replaces: so a run that output.max_bytes has ended resumes.
  /// Throws InputError, too, when the rows cannot be used: they are of another run, damaged, or not those that were
  /// saved (the machine crashed before they were on the disk).
  ResultWriter(const std::string& path, const World& world, const ResultSettings& settings, std::span<const u64> saved);
  ~ResultWriter();  // without finish(): leaves the .part with status "partial"
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// True once one more chunk of rows could make the finished file larger than ResultSettings::max_bytes. No more rows
  /// are written; the caller should end the run, and finish() still writes all that the outcome decides.
  bool full() const;

  /// Takes the counters of every link of the World at `time_ps`; times increase. Feeds /series and
  /// /histogram/queue_depth. Of instants at which no counter has changed, only the first and the last become rows
  /// (series_rows.hpp). Returns whether any counter has changed since the instant before.
  bool append_series(TimePs time_ps, std::span<const LinkCounters> per_link);

  /// Repeats the counters of the latest instant at `instants` more, of which `last_ps` is the last.
  void append_same(u64 instants, TimePs last_ps);

  /// Ends the series: the run was over at `end_ps`, with these counters, and `next_ps` would have been the next
  /// instant.
  void end_series(TimePs end_ps, TimePs next_ps, std::span<const LinkCounters> per_link);

  /// Takes events in order: pause and resume go to /event/pfc and /histogram/pause_length, cts_wait to
  /// /histogram/cts_wait, drop to /event/drop, messages' and ranks' completions to /event/completion, gpu_time to
  /// /event/gpu_time. Other kinds have no place in the file and are ignored.
  void append_events(std::span<const Event> events);

  /// Appends what the run needs to resume with this file (the constructor above), and waits until the rows that have
  /// been written are on the disk.
  void save(std::vector<u64>& words) const;

  /// Calls close() and publish().
  void finish(const Outcome& outcome, const Perf& perf, std::string_view status = {});

  /// Writes messages, collectives, links, histograms and /perf, then the final attributes, and closes the .part.
  /// `status` is by default that of the outcome's reason; "interrupted" for a run that was told to stop.
  /// Throws OutputError also when the .part is no longer the file that this run has written.
  void close(const Outcome& outcome, const Perf& perf, std::string_view status = {});
  /// Renames the closed file to `path`. Throws OutputError, too, for a file that took that name since this one was
  /// begun, or that is no result: the results stay under the name of the .part.
  void publish();

  /// Path of the rows: `path`.part before publish().
  const std::string& part_path() const;

 private:
  std::unique_ptr<ResultParts> parts_;
};

}  // namespace heddle
