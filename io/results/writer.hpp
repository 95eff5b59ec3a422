// Writes the result file of a run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/output_path.hpp"
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
  bool link_series = false;       // also /series/link: [time, link], large
  TimePs series_interval_ps = 0;  // for the record; 0 = no series is taken
  bool pfc_events = true;         // pauses and resumes will come; else /histogram/pause_length says that it lacks them
  bool cts_waits = false;         // waits for CTSs will come: also /histogram/cts_wait
  bool gpu_time = false;          // computations and waits will come: also /event/gpu_time, and ranks' completions of
                                  // training jobs
  u64 max_bytes = ~u64{0};        // of the whole file; see full()
  bool overwrite = false;         // replace an existing file
  /// Asked at the end of the run: what is routed over every link. None, or an empty answer: that is not known.
  std::function<std::vector<RoutedFlows>()> routed_flows;
  std::function<void()> begun;  // called before the .part has its name; until then nothing of the run is there
};

/// The status attribute of a run that ended so: "complete", "horizon", "stalled", "deadlock", "qp_failed", "error".
std::string_view status_name(EndReason reason);

struct ResultParts;

/// One result file, written as `path`.part while the run goes on and renamed to `path` by finish().
/// Whatever kills the program, the .part can be read: all objects exist before the first row is written, rows come in
/// whole chunks in HDF5's SWMR mode, and even the final attributes are overwritten in place.
/// Every function throws OutputError, with path, dataset and reason, when HDF5 or the system fails.
class ResultWriter {
 public:
  ResultWriter(const std::string& path, const World& world, const ResultSettings& settings);

  /// Goes on where a killed run, of which `saved` are the words of save(), was then: the file will be that of a run
  /// that nobody killed. The rows that were in `path`.part come into a new file, `path`.part.new, which then takes its
  /// name; until then, and whenever this fails or is killed, the .part stays as it was and can be gone on from again.
  /// Where there is no .part, the rows are those of the finished file `path`, which is then replaced by finish() alone:
  /// so a run that output.max_bytes has ended goes on. Throws InputError, too, when the rows cannot be gone on from:
  /// they are of another run, damaged, or not those of then (the machine crashed before they were on the disk).
  ResultWriter(const std::string& path, const World& world, const ResultSettings& settings, std::span<const u64> saved);
  ~ResultWriter();  // without finish(): leaves the .part with status "partial"
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// True once one more chunk of rows could make the finished file larger than ResultSettings::max_bytes. Rows are not
  /// written any more; the caller should end the run, and finish() still writes all that the outcome decides.
  bool full() const;

  /// Counters of every link of the World at `time_ps`; times increase. Feeds /series and /histogram/queue_depth. Of
  /// instants at which no counter has changed, only the first and the last become rows (series_rows.hpp). Returns
  /// whether any has since the instant before.
  bool append_series(TimePs time_ps, std::span<const LinkCounters> per_link);

  /// The same counters as at the latest instant at so many more, of which `last_ps` is the last.
  void append_same(u64 instants, TimePs last_ps);

  /// The end of the series: the run was over at `end_ps`, with these counters, and `next_ps` would have been the next
  /// instant.
  void end_series(TimePs end_ps, TimePs next_ps, std::span<const LinkCounters> per_link);

  /// Events as they come, in order: pause and resume to /event/pfc and /histogram/pause_length, cts_wait to
  /// /histogram/cts_wait, drop to /event/drop, messages' and ranks' completions to /event/completion, gpu_time to
  /// /event/gpu_time. Other kinds have no place in the file and are ignored.
  void append_events(std::span<const Event> events);

  /// Appends what the run needs to go on with this file (the constructor above), and waits until the rows that have
  /// been written are on the disk.
  void save(std::vector<u64>& words) const;

  /// close() and publish().
  void finish(const Outcome& outcome, const Perf& perf, std::string_view status = {});

  /// Writes messages, collectives, links, histograms and /perf, then the final attributes, and closes the .part.
  /// `status` is by default that of the outcome's reason; "interrupted" for a run that was told to stop.
  /// Throws OutputError also when the .part is not the file that this run has written any more.
  void close(const Outcome& outcome, const Perf& perf, std::string_view status = {});
  /// Renames what close() has closed to `path`. Throws OutputError, too, for a file that has come to that name since
  /// this one was begun, or that is no result: the results stay under the name of the .part.
  void publish();

  /// Where the rows are now: `path`.part before publish().
  const std::string& part_path() const;

 private:
  std::unique_ptr<ResultParts> parts_;
};

}  // namespace heddle
