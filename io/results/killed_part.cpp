#include "io/results/killed_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

#include "io/results/layout.hpp"

namespace heddle {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(fmt::format(
      "cannot go on with '{}': {}; resume from an older checkpoint, or start anew with --force", path, why));
}

u64 hash_of(const InputFile& file, const char* name, const std::string& path) {
  const std::string text = file.text_attribute("/", name);
  u64 hash = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(path, fmt::format("its attribute {} is '{}', no hash", name, text));
  return hash;
}

}  // namespace

KilledPart::KilledPart(const std::string& part_path, const RunIdentity& ours) : path_(part_path), file_(part_path) {
  if (file_.text_attribute("/", "format") != layout::kFormat) refuse(path_, "it is not a result of 'heddle run'");
  const u64 format_version = file_.number_attribute("/", "format_version");
  if (format_version != layout::kFormatVersion) {
    refuse(path_, fmt::format("it has format version {}, not {}", format_version, layout::kFormatVersion));
  }
  const RunIdentity theirs{file_.text_attribute("/", "software_version"), hash_of(file_, "config_hash", path_),
                           hash_of(file_, "topology_hash", path_), hash_of(file_, "workload_hash", path_)};
  if (const std::string why = difference(theirs, ours); !why.empty()) refuse(path_, "it is of another run: " + why);
}

void KilledPart::copy(const RowMark& mark, Dataset& to) const {
  const std::string& name = to.object_path();
  const u64 rows = file_.rows(name);
  if (rows < mark.rows) {
    refuse(path_,
           fmt::format("{} has {} rows, and at the checkpoint it had {} (the machine crashed before they were on "
                       "the disk, or another run replaced the file)",
                       name, rows, mark.rows));
  }
  std::vector<std::byte> block;
  for (u64 at = 0; at < mark.rows;) {
    const u64 count = std::min(to.chunk_rows(), mark.rows - at);
    block.resize(count * to.row_bytes());
    file_.rows_into(name, to.type(), at, count, block.data());
    to.append(block.data(), count);
    at += count;
  }
  if (to.mark() == mark) return;
  refuse(path_,
         fmt::format("the first {} rows of {} are not those that were there at the checkpoint (the machine crashed "
                     "before they were on the disk, or another run replaced the file)",
                     mark.rows, name));
}

}  // namespace heddle
