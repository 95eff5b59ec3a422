#include "io/results/killed_part.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "io/hash_bytes.hpp"
#include "io/results/layout.hpp"
#include "io/results/provenance.hpp"
#include "io/results/trial_reading.hpp"

namespace heddle {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(
      fmt::format("cannot resume '{}': {}; resume from an older checkpoint, or start anew with --force", path, why));
}

/// No chunk has as many bytes (layout.hpp: about a MiB before compression).
constexpr u64 kMaxChunkBytes = u64{1} << 28;

u64 hash_of(const InputFile& file, const char* name, const std::string& path) {
  const std::string text = file.text_attribute("/", name);
  u64 hash = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(path, fmt::format("its attribute {} is '{}', no hash", name, text));
  return hash;
}

}  // namespace

KilledPart::KilledPart(const std::string& part_path, const RunIdentity& ours)
    : path_(part_path), file_(part_path, try_reading(part_path)), bytes_(part_path, std::ios::binary) {
  if (file_.text_attribute("/", "format") != layout::kFormat) refuse(path_, "it is not a result of 'heddle run'");
  const u64 format_version = file_.number_attribute("/", "format_version");
  if (format_version != layout::kFormatVersion) {
    refuse(path_, fmt::format("it has format version {}, not {}", format_version, layout::kFormatVersion));
  }
  Provenance theirs;
  theirs.software_version = file_.text_attribute("/", "software_version");
  theirs.git_commit = file_.text_attribute("/", "git_commit");
  theirs.git_dirty = file_.number_attribute("/", "git_dirty") != 0;
  theirs.config_hash = hash_of(file_, "config_hash", path_);
  theirs.topology_hash = hash_of(file_, "topology_hash", path_);
  theirs.workload_hash = hash_of(file_, "workload_hash", path_);
  if (const std::vector<std::string> toml = file_.texts("/config"); !toml.empty()) theirs.inputs.config_toml = toml[0];
  if (const std::string why = difference(identity_of(theirs), ours); !why.empty())
    refuse(path_, "it is of another run: " + why);
}

void save_rows(const Dataset& dataset, std::vector<u64>& words) {
  words.insert(words.end(), {dataset.rows(), dataset.chunks().size()});
  append_records(words, std::span(dataset.chunks()));
}

bool KilledPart::read(const StoredChunk& chunk, std::vector<std::byte>& stored) const {
  stored.resize(chunk.bytes);
  bytes_.clear();
  bytes_.seekg(static_cast<std::streamoff>(chunk.address));
  bytes_.read(reinterpret_cast<char*>(stored.data()), static_cast<std::streamsize>(stored.size()));
  return bytes_.good() && absorb_bytes(0, stored) == chunk.hash;
}

void KilledPart::restore_rows(WordSource& words, Dataset& to) const {
  const u64 rows = words.word(), chunks = words.word();
  if (rows != chunks * to.chunk_rows()) throw std::out_of_range("rows of " + to.object_path());
  std::vector<std::byte> stored;
  for (u64 i = 0; i < chunks; ++i) {
    auto chunk = words.record<StoredChunk>();
    if (chunk.bytes > kMaxChunkBytes) throw std::out_of_range("a chunk of " + to.object_path());
    if (!read(chunk, stored)) {
      chunk.address = file_.chunk_address(to.object_path(), i * to.chunk_rows());
      if (!read(chunk, stored)) {
        refuse(
            path_,
            fmt::format("the first {} rows of {} are not those that were there at the checkpoint (the machine crashed "
                        "before they were on the disk, or another run replaced the file)",
                        rows, to.object_path()));
      }
    }
    to.append_stored(stored, chunk.filters_left_out);
  }
}

}  // namespace heddle
