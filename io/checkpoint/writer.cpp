#include "io/checkpoint/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "io/checkpoint/layout.hpp"
#include "io/checkpoint/run_section.hpp"
#include "io/checkpoint/seal.hpp"
#include "io/durable.hpp"
#include "io/results/hdf5.hpp"

namespace heddle {

struct CheckpointParts {
  std::string path, temporary_path;
  CheckpointHeader header;
  h5::Handle file;
  std::vector<std::string> sections;
  h5::Handle dataset;       // of the present section, once it has filled a chunk
  std::vector<u64> staged;  // of the present section, less than a chunk
  u64 words = 0;            // of the present section, written
  bool created = false, finished = false;

  ~CheckpointParts() {
    dataset.reset();
    file.reset();
    if (created && !finished) ::unlink(temporary_path.c_str());
  }
};

namespace {

namespace layout = checkpoint_layout;

[[noreturn]] void fail(const CheckpointParts& parts, std::string_view verb, const std::string& reason) {
  throw OutputError(
      fmt::format("cannot {} '{}': {} (no checkpoint is made; the one before it, if there is one, is intact) make room "
                  "on that disk, or put the results on another one",
                  verb, parts.temporary_path, reason));
}

void check(const CheckpointParts& parts, herr_t status, std::string_view verb) {
  if (status < 0) fail(parts, verb, h5::reason());
}

h5::Handle checked(const CheckpointParts& parts, hid_t id, std::string_view verb) {
  if (id < 0) fail(parts, verb, h5::reason());
  return h5::Handle(id);
}

void write_attribute(const CheckpointParts& parts, hid_t object, const char* name, hid_t type, const void* value) {
  const h5::Handle space(H5Screate(H5S_SCALAR));
  const h5::Handle attribute =
      checked(parts, H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), "write an attribute of");
  check(parts, H5Awrite(attribute.get(), type, value), "write an attribute of");
}

/// A text of fixed width: HDF5 keeps no checksums of texts of variable length.
void write_text(const CheckpointParts& parts, hid_t object, const char* name, const std::string& text) {
  const h5::Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), text.size() + 1);
  write_attribute(parts, object, name, type.get(), text.c_str());
}

void write_root_attributes(const CheckpointParts& parts) {
  const hid_t root = parts.file.get();
  const RunIdentity& run = parts.header.run;
  const std::pair<const char*, std::string> texts[] = {{"format", std::string(kCheckpointFormat)},
                                                       {"software_version", run.software_version},
                                                       {"config_hash", layout::hex(run.config_hash)},
                                                       {"topology_hash", layout::hex(run.topology_hash)},
                                                       {"workload_hash", layout::hex(run.workload_hash)}};
  for (const auto& [name, text] : texts) write_text(parts, root, name, text);
  write_attribute(parts, root, "format_version", H5T_NATIVE_UINT32, &kCheckpointFormatVersion);
  write_attribute(parts, root, "time_ps", H5T_NATIVE_INT64, &parts.header.time_ps);
}

/// Nobody else's: two runs of one result file share no half of a checkpoint, whatever has become of the lock.
std::string temporary_name(const std::string& path) {
  return fmt::format("{}.{:08x}.tmp", path, std::random_device()() & 0xffffffff);
}

/// Creates the file first, so that one that HDF5 fails to begin may be removed.
void claim_name(CheckpointParts& parts) {
  const int descriptor = ::open(parts.temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(parts, "create", std::strerror(errno));
  ::close(descriptor);
  parts.created = true;
}

h5::Handle create_file(const CheckpointParts& parts) {
  const h5::Handle access = h5::file_access(), creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);  // after an error nothing stays open
  H5Pset_userblock(creation.get(), kSealBytes);
  H5Pset_obj_track_times(creation.get(), false);
  return checked(parts, H5Fcreate(parts.temporary_path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), "create");
}

/// The dataset of the present section, with chunks of so many words.
h5::Handle create_dataset(const CheckpointParts& parts, u64 chunk_words) {
  const h5::Handle creation(H5Pcreate(H5P_DATASET_CREATE)), access(H5Pcreate(H5P_DATASET_ACCESS));
  const hsize_t chunk = std::max<u64>(chunk_words, 1), size = 0, limit = H5S_UNLIMITED;
  H5Pset_chunk(creation.get(), 1, &chunk);
  H5Pset_fletcher32(creation.get());
  H5Pset_obj_track_times(creation.get(), false);
  H5Pset_chunk_cache(access.get(), 101, 2 * layout::kChunkWords * sizeof(u64), 1.0);
  const h5::Handle space(H5Screate_simple(1, &size, &limit));
  return checked(parts,
                 H5Dcreate2(parts.file.get(), parts.sections.back().c_str(), H5T_STD_U64LE, space.get(), H5P_DEFAULT,
                            creation.get(), access.get()),
                 "create a section of");
}

/// Writes the staged words behind what the section's dataset holds.
void write_staged(CheckpointParts& parts) {
  if (!parts.dataset) parts.dataset = create_dataset(parts, parts.staged.size());
  if (parts.staged.empty()) return;
  const hsize_t count = parts.staged.size(), first = parts.words, size = first + count;
  check(parts, H5Dset_extent(parts.dataset.get(), &size), "extend a section of");
  const h5::Handle memory(H5Screate_simple(1, &count, nullptr));
  const h5::Handle target = checked(parts, H5Dget_space(parts.dataset.get()), "extend a section of");
  check(parts, H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr),
        "extend a section of");
  check(parts,
        H5Dwrite(parts.dataset.get(), H5T_NATIVE_UINT64, memory.get(), target.get(), H5P_DEFAULT, parts.staged.data()),
        "write");
  parts.words = size;
  parts.staged.clear();
}

void end_section(CheckpointParts& parts) {
  if (parts.sections.empty()) return;
  write_staged(parts);
  if (!parts.dataset.reset()) fail(parts, "write", h5::reason());
  parts.words = 0;
}

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& path, const CheckpointHeader& header)
    : parts_(std::make_unique<CheckpointParts>()) {
  const std::string& version = header.run.software_version;
  if (version.size() > kMaxVersionBytes || version.find_first_of(std::string_view("\n\0", 2)) != std::string::npos)
    throw std::invalid_argument("a software version of a checkpoint has at most 128 bytes and one line: " + version);
  parts_->path = path;
  parts_->temporary_path = temporary_name(path);
  parts_->header = header;
  claim_name(*parts_);
  parts_->file = create_file(*parts_);
  parts_->staged.reserve(layout::kChunkWords);
}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::begin(std::string_view section) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (section.empty() || section.find_first_not_of(letters) != std::string_view::npos)
    throw std::invalid_argument(fmt::format("no name for a section of a checkpoint: '{}'", section));
  if (std::ranges::find(parts_->sections, section) != parts_->sections.end())
    throw std::invalid_argument(fmt::format("a checkpoint has its section '{}' already", section));
  end_section(*parts_);
  parts_->sections.emplace_back(section);
}

void CheckpointWriter::append(std::span<const u64> words) {
  if (parts_->sections.empty()) throw std::invalid_argument("words of a checkpoint without a section");
  std::vector<u64>& staged = parts_->staged;
  while (!words.empty()) {
    const size_t taken = std::min<size_t>(words.size(), layout::kChunkWords - staged.size());
    staged.insert(staged.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken));
    words = words.subspan(taken);
    if (staged.size() == layout::kChunkWords) write_staged(*parts_);
  }
}

void CheckpointWriter::finish() {
  CheckpointParts& parts = *parts_;
  begin(layout::kRunSection);
  append(run_section(parts.header));
  end_section(parts);
  write_root_attributes(parts);
  if (!parts.file.reset()) fail(parts, "close", h5::reason());
  if (const int status = write_seal(parts.temporary_path, parts.header); status != 0)
    fail(parts, "seal", std::strerror(status));
  if (const int status = rename_durably(parts.temporary_path, parts.path); status != 0)
    fail(parts, "rename", std::strerror(status));
  parts.finished = true;
}

}  // namespace heddle
