#include "io/checkpoint/reader.hpp"

#include <fmt/format.h>

#include "io/checkpoint/layout.hpp"
#include "io/checkpoint/run_section.hpp"
#include "io/checkpoint/seal.hpp"

namespace heddle {
namespace {

namespace layout = checkpoint_layout;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(fmt::format("cannot use checkpoint '{}': {}", path, why));
}

h5::Handle open_file(const std::string& path) {
  const h5::Handle access = h5::file_access();  // H5F_ACC_RDONLY initialises HDF5, which has to be silenced before
  h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!file) refuse(path, h5::reason());
  return file;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* into) {
  static_cast<std::vector<std::string>*>(into)->emplace_back(name);
  return 0;
}

}  // namespace

CheckpointReader::CheckpointReader(const std::string& path) : CheckpointReader(path, verify_seal(path)) {}

std::unique_ptr<CheckpointReader> CheckpointReader::of_verified(const std::string& path) {
  return std::unique_ptr<CheckpointReader>(new CheckpointReader(path, read_seal(path)));
}

CheckpointReader::CheckpointReader(const std::string& path, CheckpointHeader header)
    : path_(path), header_(std::move(header)), file_(open_file(path)) {
  open_sections();
  take_run_section(read(layout::kRunSection), path_, header_);
}

void CheckpointReader::open_sections() {
  std::vector<std::string> names;
  if (H5Literate(file_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names) < 0)
    refuse(path_, h5::reason());
  const h5::Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), 101, 2 * layout::kChunkWords * sizeof(u64), 1.0);
  for (const std::string& name : names) {
    Section section;
    section.dataset = h5::Handle(H5Dopen2(file_.get(), name.c_str(), access.get()));
    if (!section.dataset) refuse(path_, fmt::format("section '{}': {}", name, h5::reason()));
    const h5::Handle space(H5Dget_space(section.dataset.get())), type(H5Dget_type(section.dataset.get()));
    const hssize_t words = H5Sget_simple_extent_npoints(space.get());
    if (words < 0 || H5Sget_simple_extent_ndims(space.get()) != 1 || H5Tequal(type.get(), H5T_STD_U64LE) <= 0)
      refuse(path_, fmt::format("section '{}' is no row of 64-bit words (another program wrote it)", name));
    section.words = static_cast<u64>(words);
    sections_.emplace(name, std::move(section));
  }
}

const CheckpointReader::Section& CheckpointReader::section(std::string_view name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) refuse(path_, fmt::format("it has no section '{}' (another program wrote it)", name));
  return found->second;
}

u64 CheckpointReader::words(std::string_view section_name) const { return section(section_name).words; }

void CheckpointReader::read(std::string_view section_name, u64 first, std::span<u64> out) const {
  const Section& from = section(section_name);
  if (first > from.words || out.size() > from.words - first) {
    refuse(path_, fmt::format("section '{}' has {} words where more than that are needed (another program wrote it)",
                              section_name, from.words));
  }
  if (out.empty()) return;
  const hsize_t start = first, count = out.size();
  const h5::Handle memory(H5Screate_simple(1, &count, nullptr)), source(H5Dget_space(from.dataset.get()));
  const bool selected = H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr) >= 0;
  if (!selected ||
      H5Dread(from.dataset.get(), H5T_NATIVE_UINT64, memory.get(), source.get(), H5P_DEFAULT, out.data()) < 0)
    refuse(path_, fmt::format("section '{}': {}", section_name, h5::reason()));
}

std::vector<u64> CheckpointReader::read(std::string_view section_name) const {
  std::vector<u64> all(words(section_name));
  read(section_name, 0, all);
  return all;
}

}  // namespace heddle
