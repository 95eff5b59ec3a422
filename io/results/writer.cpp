#include "io/results/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include "io/durable.hpp"
#include "io/results/file_size.hpp"
#include "io/results/killed_part.hpp"
#include "io/results/parts.hpp"
#include "io/results/replaced_file.hpp"
#include "io/results/saved_state.hpp"
#include "io/unfinished.hpp"
#include "kernels/base/units.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

h5::Handle create_file(const std::string& path) {
  const h5::Handle access = h5::file_access(), creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_fapl_sec2(access.get());                 // check_is_ours() needs its descriptor
  H5Pset_obj_track_times(creation.get(), false);  // equal runs, equal files
  return h5::created(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), {path, {}}, "create");
}

/// Whether a program drives the collective. Its events are written only on request: a GPU has thousands in an
/// iteration, and /collective and /iteration sum them up.
bool is_of_program(const World& world, u64 collective) {
  return world.collectives.jobs[world.collectives.collectives[collective].job].by_program;
}

/// The queue pairs by which an endpoint sends are numbered from this one on.
u32 first_qp(const World& world, EndpointId src) {
  const auto& qps = world.traffic.qps;
  return static_cast<u32>(std::ranges::lower_bound(qps, src, {}, &Qp::src) - qps.begin());
}

void append_event(ResultParts& parts, const Event& e) {
  const auto kind = static_cast<u32>(e.kind);
  switch (e.kind) {
    case EventKind::pause:
    case EventKind::resume:
      parts.pfc->append({cell(e.time_ps), cell(e.node), cell(u32{e.port}), cell(u32{e.cls}), cell(kind)});
      break;
    case EventKind::drop:
      parts.drops->append(
          {cell(e.time_ps), cell(e.node), cell(u32{e.port}), cell(u32{e.cls}), cell(e.detail), cell(e.value)});
      break;
    case EventKind::failure: {
      const u32 ps_per_byte_q16 = static_cast<u32>(e.value >> 32);
      const u64 bits_per_s = ps_per_byte_q16 == 0 ? 0 : bits_per_s_of(ps_per_byte_q16);
      const double byte_loss = std::ldexp(static_cast<double>(e.value & 0xffffffff), -32);
      parts.failures->append({cell(e.time_ps), cell(e.node), cell(u32{e.port}), cell(bits_per_s), cell(byte_loss)});
      break;
    }
    case EventKind::message_received:
    case EventKind::message_acked:
      parts.completions->append({cell(e.time_ps), cell(e.node), cell(kind), cell(e.value), cell(i64{-1})});
      break;
    case EventKind::rank_entered:
    case EventKind::rank_finished:
      if (!parts.gpu_times && is_of_program(*parts.world, e.value >> 32)) break;
      parts.completions->append({cell(e.time_ps), cell(e.node), cell(kind), cell(e.value >> 32),
                                 cell(static_cast<i64>(e.value & 0xffffffff))});
      break;
    case EventKind::gpu_time:
      if (!parts.gpu_times) break;
      parts.gpu_times->append({cell(e.time_ps), cell(e.node), cell(e.cls == kNoGroup ? layout::kComputed : 1u + e.cls),
                               cell(static_cast<i64>(e.value)), cell(e.detail)});
      break;
    case EventKind::tcp_window:
      if (!parts.tcp_windows) break;
      parts.tcp_windows->append({cell(e.time_ps), cell(e.node), cell(first_qp(*parts.world, e.node) + e.detail),
                                 cell(static_cast<u32>(e.value >> 32)), cell(static_cast<u32>(e.value))});
      break;
    default:
      break;
  }
}

/// Sets the flag when the file has reached its budget. file_size.hpp bounds what is still to be written.
void check_size(ResultParts& parts) {
  // Count from the rows alone, because a run that was killed and resumed must end where an uninterrupted one does, and
  // how HDF5 divides a file into blocks depends on its history. Check the file itself, too, in case HDF5 divides it
  // badly.
  u64 rows_bytes = parts.tier_series->stored_bytes();
  if (parts.link_series) rows_bytes += parts.link_series->stored_bytes();
  for (const Table* table : parts.event_tables()) rows_bytes += table->stored_bytes();
  hsize_t file_bytes = 0;
  h5::written(H5Fget_filesize(parts.file.get(), &file_bytes), parts.place(), "ask for the size of");
  parts.full = rows_bytes > parts.rows_max_bytes || file_bytes > parts.file_max_bytes;
}

std::unique_ptr<ResultParts> make_parts(const std::string& path, const World& world, const ResultSettings& settings) {
  auto parts = std::make_unique<ResultParts>();
  parts->path = path;
  parts->part_path = path + ".part";
  parts->replaces = is_there(path);
  parts->world = &world;
  const FileSize size = file_size_of(world, settings.link_series, settings.gpu_time);
  parts->file_max_bytes = settings.max_bytes - std::min(size.end_bytes, settings.max_bytes);
  parts->rows_max_bytes = parts->file_max_bytes - std::min(size.fixed_bytes, parts->file_max_bytes);
  return parts;
}

/// Makes the file with all its objects, without rows.
void create_parts(ResultParts& parts, const ResultSettings& settings, const std::string& created_path) {
  parts.file = create_file(created_path);
  write_root_attributes(parts, settings);
  create_content(parts, settings);
}

/// Enters SWMR mode: from here on rows may be appended, and the file can be read whatever happens.
void start_rows(ResultParts& parts) {
  h5::written(H5Fflush(parts.file.get(), H5F_SCOPE_GLOBAL), parts.place(), "write");
  h5::written(H5Fstart_swmr_write(parts.file.get()), parts.place(), "enter SWMR mode of");
  make_room_for_last_texts(parts);
}

/// Makes a new file with the rows of the .part (or of the finished file, where there is no .part) in the place of the
/// .part.
void continue_parts(ResultParts& parts, const ResultSettings& settings, const std::string& new_path,
                    std::span<const u64> saved) {
  const std::string& from = is_there(parts.part_path) ? parts.part_path : parts.path;
  try {
    const KilledPart killed(from, identity_of(settings.provenance));
    std::optional<NotWhole> making(std::in_place);
    create_parts(parts, settings, new_path);
    const Unfinished copy(new_path);
    making.reset();
    restore_state(parts, saved, killed);
    start_rows(parts);
    if (settings.begun) settings.begun();
    if (const int status = rename_durably(new_path, parts.part_path); status != 0) {
      throw OutputError(
          fmt::format("cannot flush or rename '{}': {}; make room on that disk", new_path, std::strerror(status)));
    }
  } catch (const OutputError& error) {
    throw OutputError(fmt::format("{} ('{}' is as the killed run left it, and so is the checkpoint) then resume again",
                                  error.what(), from));
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}\n'{}' holds the rows that the run had written until its checkpoint, which is of no use without "
                    "them; put a whole copy of that file back, or start anew with --force",
                    error.what(), from));
  }
}

/// Leaves the file as it was last. Where rows cannot be written, HDF5 would note a length at closing as if they were
/// there, and no reader would accept the file.
void write_nothing_more(ResultParts& parts) {
  parts.failed = true;
  void* descriptor = nullptr;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0 && H5Fget_vfd_handle(parts.file.get(), H5P_DEFAULT, &descriptor) >= 0)
    ::dup2(nothing, *static_cast<int*>(descriptor));
  ::close(nothing);
}

}  // namespace

void check_is_ours(const ResultParts& parts) {
  void* descriptor = nullptr;
  h5::written(H5Fget_vfd_handle(parts.file.get(), H5P_DEFAULT, &descriptor), parts.place(), "look at");
  struct stat ours = {}, there = {};
  if (::fstat(*static_cast<int*>(descriptor), &ours) == 0 && ::stat(parts.part_path.c_str(), &there) == 0 &&
      ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
    return;
  throw OutputError(
      fmt::format("'{}' is not the file that this run writes any more: another run of the same result file, or "
                  "somebody, has replaced or removed it (the rows of this run are lost; what stands there now is left "
                  "alone) run again, and only once at a time",
                  parts.part_path));
}

std::string_view status_name(EndReason reason) {
  constexpr std::string_view names = "complete horizon stalled deadlock qp_failed error";
  return layout::word(names, static_cast<u32>(reason));
}

ResultWriter::ResultWriter(const std::string& path, const World& world, const ResultSettings& settings) {
  check_writable(path, settings.overwrite);
  parts_ = make_parts(path, world, settings);
  if (settings.begun) settings.begun();
  ::unlink((path + ".part.new").c_str());  // left by a run that was killed when it began to resume
  ::unlink(parts_->part_path.c_str());     // not emptied: without locks it may belong to a run that resumes
  try {
    create_parts(*parts_, settings, parts_->part_path);
    start_rows(*parts_);
  } catch (const OutputError&) {
    // Remove the half-written file: there is nothing in it that a reader could use.
    parts_.reset();
    ::unlink((path + ".part").c_str());
    throw;
  }
}

ResultWriter::ResultWriter(const std::string& path, const World& world, const ResultSettings& settings,
                           std::span<const u64> saved) {
  check_continuable(path, settings.overwrite);
  parts_ = make_parts(path, world, settings);
  const std::string new_path = parts_->part_path + ".new";
  try {
    continue_parts(*parts_, settings, new_path, saved);
  } catch (const IoError&) {
    parts_.reset();
    ::unlink(new_path.c_str());
    throw;
  }
}

ResultWriter::~ResultWriter() {
  if (!parts_->file || parts_->failed) return;
  // The run failed elsewhere: keep the rows that were written. No caller is left to report to.
  try {
    finish_rows(*parts_);
  } catch (const OutputError&) {
    write_nothing_more(*parts_);
  }
}

const std::string& ResultWriter::part_path() const { return parts_->part_path; }

bool ResultWriter::full() const { return parts_->full; }

bool ResultWriter::append_series(TimePs time_ps, std::span<const LinkCounters> per_link) {
  if (parts_->full) return true;
  bool changed = true;
  try {
    changed = append_instant(*parts_, time_ps, per_link);
  } catch (const OutputError&) {
    write_nothing_more(*parts_);
    throw;
  }
  check_size(*parts_);
  return changed;
}

void ResultWriter::append_same(u64 instants, TimePs last_ps) {
  if (!parts_->full) append_idle(*parts_, instants, last_ps);
}

void ResultWriter::end_series(TimePs end_ps, TimePs next_ps, std::span<const LinkCounters> per_link) {
  if (!parts_->full) append_end(*parts_, end_ps, next_ps, per_link);
}

void ResultWriter::append_events(std::span<const Event> events) {
  ResultParts& parts = *parts_;
  for (const Event& event : events) {
    if (event.kind == EventKind::pause || event.kind == EventKind::resume)
      parts.pauses->take(event, *parts.pause_length);
    if (event.kind == EventKind::cts_wait) {
      if (parts.cts_wait) parts.cts_wait->count(0, static_cast<i64>(event.value));
      continue;  // no row
    }
    if (parts.full) continue;
    append_event(parts, event);
    if (++parts.events_since_check < layout::kEventChunkRows) continue;
    parts.events_since_check = 0;
    check_size(parts);
  }
}

void ResultWriter::save(std::vector<u64>& words) const {
  const ResultParts& parts = *parts_;
  h5::written(H5Fflush(parts.file.get(), H5F_SCOPE_GLOBAL), parts.place(), "write");
  check_is_ours(parts);
  if (const int status = sync_to_disk(parts.part_path); status != 0) {
    throw OutputError(fmt::format("cannot flush '{}': {} (a checkpoint needs its rows) make room on that disk",
                                  parts.part_path, std::strerror(status)));
  }
  save_state(parts, words);
}

void ResultWriter::finish(const Outcome& outcome, const Perf& perf, std::string_view status) {
  close(outcome, perf, status);
  publish();
}

void ResultWriter::close(const Outcome& outcome, const Perf& perf, std::string_view status) {
  ResultParts& parts = *parts_;
  finish_rows(parts);
  write_outcome(parts, outcome, perf);
  h5::written(H5Fflush(parts.file.get(), H5F_SCOPE_GLOBAL), parts.place(), "write");
  check_is_ours(parts);
  overwrite_root_attributes(parts, outcome, status.empty() ? status_name(outcome.reason) : status);
  for (Table* table : parts.end_tables()) table->close();
  for (Table* table : parts.event_tables()) table->close();
  parts.tier_series->close();
  if (parts.link_series) parts.link_series->close();
  for (Histogram* histogram : parts.histograms()) histogram->close();
  if (!parts.file.reset()) h5::fail_write(parts.place(), "close");
}

void ResultWriter::publish() {
  const ResultParts& parts = *parts_;
  if (parts.replaces) refuse_foreign_at_the_end(parts.path, parts.part_path);
  const int error =
      parts.replaces ? rename_durably(parts.part_path, parts.path) : rename_to_free_name(parts.part_path, parts.path);
  if (error == 0) return;
  if (error == EEXIST) refuse_to_replace_at_the_end(parts.path, parts.part_path);
  throw OutputError(fmt::format(
      "cannot flush or rename '{}': {} (the results are complete but still under that name) rename it by hand",
      parts.part_path, std::strerror(error)));
}

}  // namespace heddle
