#include "host/run/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "host/base/error.hpp"
#include "host/config/options.hpp"
#include "host/scenario/controller/measured.hpp"
#include "io/checkpoint/slots.hpp"
#include "io/checkpoint/writer.hpp"
#include "io/error.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/writer.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/base/words.hpp"
#include "kernels/restart/load.hpp"
#include "kernels/restart/record_index.hpp"
#include "kernels/restart/records.hpp"

namespace heddle {
namespace {

/// The sections of a checkpoint file.
constexpr const char* kLoop = "loop";              // the words of LoopState, see below
constexpr const char* kCompleted = "completed";    // Completed::words
constexpr const char* kResult = "result";          // ResultWriter::save
constexpr const char* kState = "state";            // RankedEngine::save
constexpr const char* kIndex = "index";            // index of the records in kState (record_index.hpp)
constexpr const char* kController = "controller";  // MeasuringController::words; only with such a controller
constexpr const char* kSaved = "saved";            // checkpoints written so far and this one: time and wall time, ns
constexpr u64 kLoopWords = 3;                      // words of the loop before its events
constexpr u64 kBlockWords = u64{1} << 20;          // words read at a time

/// A switch of [output] that decides which rows exist.
struct RowSwitch {
  std::string_view key;
  bool OutputOptions::*on;
};
constexpr std::array kRowSwitches = {RowSwitch{"output.link_series", &OutputOptions::link_series},
                                     RowSwitch{"output.pfc_events", &OutputOptions::pfc_events},
                                     RowSwitch{"output.drop_events", &OutputOptions::drop_events},
                                     RowSwitch{"output.cts_waits", &OutputOptions::cts_waits},
                                     RowSwitch{"output.gpu_time", &OutputOptions::gpu_time},
                                     RowSwitch{"output.tcp_windows", &OutputOptions::tcp_windows}};

u64 hash_of(const OutputOptions& output) {
  u64 hash = absorb(0, static_cast<u64>(output.series_interval_ps));
  for (const RowSwitch& row : kRowSwitches) hash = absorb(hash, output.*row.on);
  return absorb(hash, !output.pfc_file.empty());
}

/// The wall time of a checkpoint that is being written, which is unknown.
constexpr u64 kUnknownNs = ~u64{0};

std::vector<u64> words_of(const std::vector<SavedCheckpoint>& saved, TimePs now_ps) {
  std::vector<u64> words;
  for (const SavedCheckpoint& one : saved) {
    words.push_back(static_cast<u64>(one.time_ps));
    words.push_back(std::isnan(one.wall_s) ? kUnknownNs : static_cast<u64>(one.wall_s * 1e9));
  }
  words.insert(words.end(), {static_cast<u64>(now_ps), kUnknownNs});
  return words;
}

std::vector<SavedCheckpoint> saved_of(std::span<const u64> words) {
  std::vector<SavedCheckpoint> saved;
  for (WordSource source(words); !source.empty();) {
    const auto time_ps = static_cast<TimePs>(source.word());
    const u64 wall_ns = source.word();
    saved.push_back({time_ps, wall_ns == kUnknownNs ? std::numeric_limits<double>::quiet_NaN()
                                                    : static_cast<double>(wall_ns) * 1e-9});
  }
  return saved;
}

/// Calls `take` and reports content that does not fit as an error of the file.
template <class F>
void understand(const CheckpointReader& file, const F& take) {
  try {
    take();
  } catch (const CheckpointMisfit& e) {
    throw InputError(fmt::format("{}: {}", file.path(), e.what()));
  } catch (const std::out_of_range& e) {
    throw InputError(fmt::format("{}: {}, so the run cannot resume from it", file.path(), e.what()));
  }
}

/// Whether a difference changes hash_of().
bool decides_rows(const ConfigDifference& difference) {
  const auto is_given = [](const std::string& value) { return value.size() > std::string_view("''").size(); };
  if (difference.key == "output.pfc_file") return is_given(difference.values[0]) != is_given(difference.values[1]);
  return difference.key == "output.series_interval" ||
         std::ranges::any_of(kRowSwitches, [&](const RowSwitch& row) { return row.key == difference.key; });
}

[[noreturn]] void refuse_other_output(const CheckpointReader& file, const RunIdentity& ours) {
  throw ConfigError(fmt::format(
      "{}: the run was saved with another [output], so it cannot resume with this one: {}; give the same as then",
      file.path(), changed_keys(file.header().run.inputs.config_toml, ours.inputs.config_toml, decides_rows)));
}

/// A checkpoint that may fail while the ranks that hand over their state stay in step: nothing is thrown, and parts
/// after a failure are dropped.
class Attempt {
 public:
  Attempt(const std::string& path, const CheckpointHeader& header) {
    watch([&] { file_.emplace(path, header); });
  }

  template <class F>
  void write(const F& part) {
    if (file_) watch([&] { part(*file_); });
  }
  /// Why there is no checkpoint; empty when it was written.
  const std::string& problem() const { return problem_; }

 private:
  template <class F>
  void watch(const F& step) {
    try {
      step();
    } catch (const OutputError& error) {
      problem_ = error.what();
      file_.reset();  // frees the disk space
    }
  }

  std::optional<CheckpointWriter> file_;
  std::string problem_;
};

/// Loads a range of whole records.
void load_range(const CheckpointReader& file, const WordRange& range, RankedEngine& engine) {
  std::vector<u64> words;  // a block, behind the rest of the previous one
  for (u64 at = range.first; at < range.end;) {
    const u64 count = std::min(kBlockWords, range.end - at), left = words.size();
    words.resize(left + count);
    file.read(kState, at, std::span(words).subspan(left));
    at += count;
    const u64 whole = whole_records(words);
    understand(file, [&] { engine.load(std::span(words).first(whole)); });
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  understand(file, [&] { engine.load(words); });  // reports incomplete records at the end
}

/// Loads the part of all ranks' state that this rank needs.
void load_state(const CheckpointReader& file, RankedEngine& engine) {
  engine.load({});  // marks the state as loaded, even if it is empty
  const std::vector<u64> index = file.read(kIndex);
  std::vector<WordRange> ranges;
  understand(file,
             [&] { ranges = wanted_words(index, file.words(kState), [&](u64 head) { return engine.needs(head); }); });
  for (const WordRange& range : ranges) load_range(file, range, engine);
}

}  // namespace

Checkpoints::Checkpoints(const CheckpointOptions& options, const OutputOptions& output, std::string result_path,
                         RunIdentity run, std::string resumed_from, bool first)
    : options_(options),
      output_hash_(hash_of(output)),
      result_path_(std::move(result_path)),
      run_(std::move(run)),
      whole_path_(std::move(resumed_from)),
      first_(first) {}

TimePs Checkpoints::next_ps(TimePs now_ps) const {
  return options_.every_ps == 0 ? kNever : (now_ps / options_.every_ps + 1) * options_.every_ps;
}

bool Checkpoints::due_by_wall() const {
  const auto every = std::chrono::nanoseconds(options_.every_wall_ps / 1000);
  return first_ && options_.every_wall_ps > 0 && Clock::now() - saved_at_ >= every;
}

bool Checkpoints::wanted() const { return options_.every_ps > 0 || options_.every_wall_ps > 0; }

void Checkpoints::save(RankedEngine& engine, const ResultWriter* writer, const LoopState& loop,
                       const Completed& completed, bool must) {
  const Clock::time_point start = Clock::now();
  const u64 digest = engine.state_digest();
  if (!first_) return engine.save([](std::span<const u64>) {});
  std::vector<u64> words;
  writer->save(words);
  const std::string path = next_checkpoint_path(result_path_, run_, whole_path_);
  Attempt attempt(path, {run_, engine.now_ps(), loop.history});
  attempt.write([&](CheckpointWriter& file) {
    file.begin(kResult);
    file.append(words);
    file.begin(kLoop);
    file.append(std::array{output_hash_, digest, static_cast<u64>(loop.next_series_ps)});
    words.clear();
    append_records(words, std::span<const Event>(loop.pfc_events));
    file.append(words);
    file.begin(kSaved);
    file.append(words_of(saved_, engine.now_ps()));
    file.begin(kCompleted);
    file.append(completed.words());
    if (!loop.controller.empty()) {
      file.begin(kController);
      file.append(loop.controller);
    }
    file.begin(kState);
  });
  std::vector<u64> index;
  u64 saved_words = 0;
  engine.save([&](std::span<const u64> records) {
    index_records(records, saved_words, index);
    saved_words += records.size();
    attempt.write([&](CheckpointWriter& file) { file.append(records); });
  });
  attempt.write([&](CheckpointWriter& file) {
    file.begin(kIndex);
    file.append(index);
    file.finish();
  });
  saved_at_ = Clock::now();
  if (!attempt.problem().empty()) return take_note_of(attempt.problem(), must);
  failing_ = false;
  whole_path_ = path;
  const double wall_s = std::chrono::duration<double>(saved_at_ - start).count();
  saved_.push_back({engine.now_ps(), wall_s});
  cost_.saving_s += wall_s;
  cost_.saves += 1;
}

void Checkpoints::take_note_of(const std::string& problem, bool must) {
  if (must) throw OutputError(problem);
  if (!failing_) problem_ = problem + "; the run goes on without it, and tries again when the next one is due";
  failing_ = true;
}

std::string Checkpoints::take_warning() {
  if (!problem_.empty()) return std::exchange(problem_, "");
  if (warned_) return "";
  cost_.wall_s = std::chrono::duration<double>(Clock::now() - begun_).count();
  std::string warning = saving_warning(cost_, options_);
  warned_ = !warning.empty();
  return warning;
}

LoopState Checkpoints::load(const CheckpointReader& file, RankedEngine& engine, Completed& completed) {
  LoopState loop;
  loop.history = file.header().history;
  std::vector<u64> words(first_ ? file.words(kLoop)
                                : std::min(kLoopWords, file.words(kLoop)));  // rank 0 has its events
  file.read(kLoop, 0, words);
  understand(file, [&] {
    WordSource source(words);
    if (source.word() != output_hash_) refuse_other_output(file, run_);
    loop.state_digest = source.word();
    loop.next_series_ps = static_cast<TimePs>(source.word());
    while (!source.empty()) loop.pfc_events.push_back(source.record<Event>());
  });
  understand(file, [&] { saved_ = saved_of(file.read(kSaved)); });
  understand(file, [&] { completed.restore(file.read(kCompleted)); });
  load_state(file, engine);
  understand(file, [&] { engine.go_on_at(file.header().time_ps); });
  return loop;
}

void Checkpoints::load(const CheckpointReader& file, MeasuringController& controller) {
  understand(file, [&] { controller.restore(file.read(kController)); });
}

std::vector<u64> Checkpoints::result_words(const CheckpointReader& file) { return file.read(kResult); }

}  // namespace heddle
