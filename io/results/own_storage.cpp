#include "io/results/own_storage.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <vector>

#include "io/printable.hpp"
#include "io/results/input_file.hpp"

namespace heddle {
namespace {

/// Deflate expands a byte to at most 1,032 (zlib's technical notes), and shuffle adds none.
constexpr double kMaxExpansion = 1040;
/// Smaller chunks may be unwritten: a killed run had made room for their rows.
constexpr double kFreeBytes = 1 << 20;

struct Visit {
  std::string path;
  double file_bytes = 0, stored_bytes = 0;
  std::vector<std::string> names;  // names of the groups above the object
  std::exception_ptr error;        // HDF5 is C: nothing may be thrown through it
};

[[noreturn]] void refuse_elsewhere(const std::string& path, const std::string& object, const std::string& what) {
  throw InputError(fmt::format(
      "cannot read '{}': {} {}, so it would show what lies outside of this file; no run writes that: do not "
      "trust this file, and take one that 'heddle run' wrote",
      printable_name(path), printable_name(object), what));
}

void check_dataset(hid_t dataset, const std::string& name, Visit& visit) {
  const h5::Handle properties(H5Dget_create_plist(dataset));
  const H5D_layout_t layout = H5Pget_layout(properties.get());
  if (layout == H5D_VIRTUAL) refuse_elsewhere(visit.path, name, "takes its rows from other datasets");
  if (H5Pget_external_count(properties.get()) > 0) refuse_elsewhere(visit.path, name, "has its rows in another file");
  for (int i = 0; i < H5Pget_nfilters(properties.get()); ++i) {
    unsigned flags = 0;
    size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      refuse_damaged(visit.path, fmt::format("{} needs the filter {} to be read", name, filter));
  }
  const h5::Handle space(H5Dget_space(dataset)), type(H5Dget_type(dataset));
  const double claimed =
      static_cast<double>(H5Sget_simple_extent_npoints(space.get())) * static_cast<double>(H5Tget_size(type.get()));
  const auto stored = static_cast<double>(H5Dget_storage_size(dataset));
  visit.stored_bytes += stored;
  if (claimed < 0 || claimed > kMaxExpansion * stored + kFreeBytes || visit.stored_bytes > visit.file_bytes)
    refuse_damaged(visit.path, fmt::format("{} claims {:.0f} B, which its {:.0f} B in the file cannot hold", name,
                                           claimed, stored));
}

/// Limit on nested groups: hard links can make circles.
constexpr u32 kMaxLevels = 32;

herr_t check_link(hid_t group, const char* link, const H5L_info_t* info, void* into);

/// A group that cannot be listed cannot be read either.
void check_group(hid_t group, Visit& visit) {
  if (visit.names.size() > kMaxLevels)
    refuse_damaged(visit.path, fmt::format("its groups lie more than {} deep", kMaxLevels));
  hsize_t from = 0;
  H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &from, check_link, &visit);
}

herr_t check_link(hid_t group, const char* link, const H5L_info_t* info, void* into) {
  Visit& visit = *static_cast<Visit*>(into);
  const std::string name = (visit.names.empty() ? "" : visit.names.back()) + "/" + link;
  try {
    if (info->type != H5L_TYPE_HARD) refuse_elsewhere(visit.path, name, "is a link to somewhere else");
    const h5::Handle object(H5Oopen(group, link, H5P_DEFAULT));
    if (!object) return 0;  // unreadable; a resumed run finds the rows behind a header that a kill has torn
    if (H5Iget_type(object.get()) == H5I_DATASET) check_dataset(object.get(), name, visit);
    if (H5Iget_type(object.get()) == H5I_GROUP) {
      visit.names.push_back(name);
      check_group(object.get(), visit);
      visit.names.pop_back();
    }
  } catch (...) {
    visit.error = std::current_exception();
  }
  return visit.error ? 1 : 0;  // 1: stop the visit
}

}  // namespace

void refuse_foreign_storage(const h5::Handle& file, const std::string& path) {
  hsize_t bytes = 0;
  H5Fget_filesize(file.get(), &bytes);
  Visit visit{path, static_cast<double>(bytes), 0, {}, nullptr};
  check_group(file.get(), visit);
  if (visit.error) std::rethrow_exception(visit.error);
}

}  // namespace heddle
