#include "io/results/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "io/results/file_size.hpp"
#include "io/results/parts.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// Where a path's folder is, "." for a bare name.
fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& suggestion) {
  throw OutputError(fmt::format("cannot write results to '{}': {}; nothing has been run; {}", path, why, suggestion));
}

h5::Handle create_file(const std::string& part_path) {
  h5::silence();
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS)), creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);  // SWMR needs it
  H5Pset_obj_track_times(creation.get(), false);                             // equal runs, equal files
  return h5::created(H5Fcreate(part_path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), {part_path, {}},
                     "create");
}

[[noreturn]] void fail_system(const std::string& part_path, const char* verb) {
  throw OutputError(
      fmt::format("cannot {} '{}': {} (the results are complete but still under that name) rename it by hand", verb,
                  part_path, std::strerror(errno)));
}

/// On the disk before the name changes, so that a crash of the machine leaves either the .part or the whole file.
void sync_to_disk(const std::string& path, int flags, const std::string& part_path) {
  const int descriptor = ::open(path.c_str(), flags);
  if (descriptor < 0) fail_system(part_path, "flush");
  const int status = ::fsync(descriptor);
  ::close(descriptor);
  if (status != 0 && errno != EINVAL && errno != ENOTSUP) fail_system(part_path, "flush");
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
    case EventKind::message_received:
    case EventKind::message_acked:
      parts.completions->append({cell(e.time_ps), cell(e.node), cell(kind), cell(e.value), cell(i64{-1})});
      break;
    case EventKind::rank_entered:
    case EventKind::rank_finished:
      parts.completions->append({cell(e.time_ps), cell(e.node), cell(kind), cell(e.value >> 32),
                                 cell(static_cast<i64>(e.value & 0xffffffff))});
      break;
    default:
      break;
  }
}

/// Notes when the file has reached its budget. What is still to come is bounded: file_size.hpp.
void check_size(ResultParts& parts) {
  hsize_t bytes = 0;
  h5::written(H5Fget_filesize(parts.file.get(), &bytes), parts.place(), "ask for the size of");
  parts.full = bytes > parts.rows_max_bytes;
}

void open_parts(ResultParts& parts, const ResultSettings& settings) {
  parts.file = create_file(parts.part_path);
  write_root_attributes(parts, settings);
  create_content(parts, settings);
  h5::written(H5Fflush(parts.file.get(), H5F_SCOPE_GLOBAL), parts.place(), "write");
  h5::written(H5Fstart_swmr_write(parts.file.get()), parts.place(), "enter SWMR mode of");
}

}  // namespace

std::string_view status_name(EndReason reason) {
  constexpr std::string_view names = "complete horizon stalled deadlock qp_failed error";
  return layout::word(names, static_cast<u32>(reason));
}

void check_writable(const std::string& path, bool overwrite, std::string_view named_by) {
  const fs::path folder = folder_of(path);
  std::error_code error;
  if (path.empty()) refuse(path, "the name is empty", fmt::format("give a file name with {}", named_by));
  if (!fs::is_directory(folder, error)) {
    refuse(path, fmt::format("folder '{}' does not exist", folder.string()),
           fmt::format("create it or choose another path with {}", named_by));
  }
  if (fs::is_directory(path, error)) refuse(path, "it is a folder", fmt::format("give a file name with {}", named_by));
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    refuse(path, "it is no ordinary file, so it cannot be replaced by one",
           fmt::format("give another file name with {}", named_by));
  }
  if (fs::exists(path, error) && !overwrite) {
    refuse(path, "it exists already", fmt::format("choose another path with {}, or replace it with --force", named_by));
  }
  if (fs::exists(path + ".part", error) && !overwrite) {
    refuse(path, fmt::format("'{}.part' exists: a run that was killed left it, or one is writing it now", path),
           fmt::format("look at it with 'heddle info', then choose another path with {}, or replace it with --force",
                       named_by));
  }
  // Only the attempt tells: permission bits do not show read-only file systems, quotas or who root is.
  const std::string probe = path + ".probe";
  const int descriptor = ::open(probe.c_str(), O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno != EEXIST)
    refuse(path, std::strerror(errno), fmt::format("choose a folder that you may write to with {}", named_by));
  if (descriptor < 0) return;
  ::close(descriptor);
  ::unlink(probe.c_str());
}

ResultWriter::ResultWriter(const std::string& path, const World& world, const ResultSettings& settings) {
  check_writable(path, settings.overwrite);
  parts_ = std::make_unique<ResultParts>();
  parts_->path = path;
  parts_->part_path = path + ".part";
  parts_->world = &world;
  const u64 end_bytes = file_size_of(world, settings.link_series).end_bytes;
  parts_->rows_max_bytes = settings.max_bytes - std::min(end_bytes, settings.max_bytes);
  try {
    open_parts(*parts_, settings);
  } catch (const OutputError&) {
    // Nothing half-written: there is nothing in it that a reader could use.
    parts_.reset();
    ::unlink((path + ".part").c_str());
    throw;
  }
}

ResultWriter::~ResultWriter() {
  if (!parts_->file) return;
  // Not finished, because something else failed: keep the rows that are there. There is nobody left to tell.
  try {
    finish_rows(*parts_);
  } catch (const OutputError&) {
  }
}

const std::string& ResultWriter::part_path() const { return parts_->part_path; }

bool ResultWriter::full() const { return parts_->full; }

void ResultWriter::append_series(TimePs time_ps, std::span<const LinkCounters> per_link) {
  if (parts_->full) return;
  append_instant(*parts_, time_ps, per_link);
  check_size(*parts_);
}

void ResultWriter::append_events(std::span<const Event> events) {
  ResultParts& parts = *parts_;
  for (const Event& event : events) {
    if (event.kind == EventKind::pause || event.kind == EventKind::resume)
      parts.pauses->take(event, *parts.pause_length);
    if (parts.full) continue;
    append_event(parts, event);
    if (++parts.events_since_check < layout::kEventChunkRows) continue;
    parts.events_since_check = 0;
    check_size(parts);
  }
}

void ResultWriter::finish(const Outcome& outcome, const Perf& perf, std::string_view status) {
  ResultParts& parts = *parts_;
  finish_rows(parts);
  write_outcome(parts, outcome, perf);
  h5::written(H5Fflush(parts.file.get(), H5F_SCOPE_GLOBAL), parts.place(), "write");
  overwrite_root_attributes(parts, outcome, status.empty() ? status_name(outcome.reason) : status);
  for (Table* table : {parts.messages.get(), parts.collectives.get(), parts.pfc.get(), parts.drops.get(),
                       parts.completions.get(), parts.phases.get()}) {
    table->close();
  }
  parts.tier_series->close();
  if (parts.link_series) parts.link_series->close();
  for (Histogram* histogram : {parts.queue_depth.get(), parts.message_completion.get(), parts.pause_length.get()})
    histogram->close();
  if (!parts.file.reset()) h5::fail_write(parts.place(), "close");
  sync_to_disk(parts.part_path, O_RDONLY | O_CLOEXEC, parts.part_path);
  if (std::rename(parts.part_path.c_str(), parts.path.c_str()) != 0) fail_system(parts.part_path, "rename");
  sync_to_disk(folder_of(parts.path).string(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, parts.part_path);
}

}  // namespace heddle
