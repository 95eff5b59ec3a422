#include "io/results/hdf5.hpp"

#include <fmt/format.h>

#include <vector>

namespace heddle::h5 {
namespace {

herr_t close_any(hid_t id) {
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id);
    case H5I_GROUP:
      return H5Gclose(id);
    case H5I_DATASET:
      return H5Dclose(id);
    case H5I_DATASPACE:
      return H5Sclose(id);
    case H5I_DATATYPE:
      return H5Tclose(id);
    case H5I_ATTR:
      return H5Aclose(id);
    case H5I_GENPROP_LST:
      return H5Pclose(id);
    default:
      return -1;
  }
}

herr_t collect(unsigned, const H5E_error2_t* error, void* into) {
  if (error->desc != nullptr && *error->desc != '\0')
    static_cast<std::vector<std::string>*>(into)->push_back(error->desc);
  return 0;
}

std::string name_of(const Place& place) {
  return place.object.empty() ? fmt::format("'{}'", place.path) : fmt::format("{} in '{}'", place.object, place.path);
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace

bool Handle::reset(hid_t id) {
  const bool closed = id_ < 0 || close_any(id_) >= 0;
  id_ = id;
  return closed;
}

void silence() {
  H5dont_atexit();  // its own tidying up at exit crashes when a disk was full (HDF5 1.10); every handle is closed by
                    // then
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle file_access() {
  silence();
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_file_locking(access.get(), /*use_file_locking=*/false, /*ignore_when_disabled=*/true);
  return access;
}

std::string reason() {
  std::vector<std::string> stack;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &stack);
  H5Eclear2(H5E_DEFAULT);
  if (stack.empty()) return "no reason given by HDF5";
  // A system call's failure is wrapped as "..., errno = 28, error message = 'No space left on device', ...".
  for (const std::string& text : stack) {
    const size_t from = text.find("error message = '");
    if (from == std::string::npos) continue;
    const size_t start = from + 17, end = text.find('\'', start);
    return text.substr(start, end == std::string::npos ? end : end - start);
  }
  return stack.front();
}

void fail_write(const Place& place, std::string_view verb) {
  throw OutputError(
      fmt::format("cannot {} {}: {}, so results would be lost; check that the folder exists and is writable and that "
                  "the disk has room",
                  verb, name_of(place), reason()));
}

void fail_read(const Place& place, std::string_view verb) {
  throw InputError(fmt::format("cannot {} {}: {}; the file is damaged: take a copy that is whole, or run again", verb,
                               name_of(place), reason()));
}

Handle created(hid_t id, const Place& place, std::string_view verb) {
  if (id < 0) fail_write(place, verb);
  return Handle(id);
}

void written(herr_t status, const Place& place, std::string_view verb) {
  if (status < 0) fail_write(place, verb);
}

void write_attribute(hid_t object, const char* name, hid_t type, const void* value, const Place& place) {
  const Handle space(H5Screate(H5S_SCALAR));
  const std::string verb = fmt::format("write attribute '{}' of", name);
  const Handle attribute = created(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), place, verb);
  written(H5Awrite(attribute.get(), type, value), place, verb);
}

void write_attribute(hid_t object, const char* name, std::string_view text, const Place& place) {
  const std::string copy(text);
  const char* pointer = copy.c_str();
  write_attribute(object, name, text_type().get(), &pointer, place);
}

void overwrite_attribute(hid_t object, const char* name, hid_t type, const void* value, const Place& place) {
  const std::string verb = fmt::format("update attribute '{}' of", name);
  const Handle attribute = created(H5Aopen(object, name, H5P_DEFAULT), place, verb);
  written(H5Awrite(attribute.get(), type, value), place, verb);
}

void overwrite_attribute(hid_t object, const char* name, std::string_view text, const Place& place) {
  const std::string copy(text);
  const char* pointer = copy.c_str();
  overwrite_attribute(object, name, text_type().get(), &pointer, place);
}

HeldAttributes::HeldAttributes(hid_t object, const char* text, const Place& place) : object_(object), place_(place) {
  // HDF5 fills parts of the heap that it holds in memory, so a text that was just read is in memory.
  const std::string verb = fmt::format("read attribute '{}' of", text);
  const Handle attribute = created(H5Aopen(object, text, H5P_DEFAULT), place, verb);
  char* present = nullptr;
  written(H5Aread(attribute.get(), text_type().get(), &present), place, verb);
  H5free_memory(present);
  written(H5Odisable_mdc_flushes(object), place, "hold back attributes of");
}

HeldAttributes::~HeldAttributes() { H5Oenable_mdc_flushes(object_); }

void HeldAttributes::flush_texts(hid_t other) const {
  written(H5Oflush(other), place_, "write");  // of this object, and what belongs to no object: the heap of texts
}

Handle create_group(hid_t parent, const std::string& name, const Place& place) {
  const Handle properties(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_obj_track_times(properties.get(), false);
  H5Pset_link_creation_order(properties.get(),
                             H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);  // columns keep their order
  return created(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), place, "create group");
}

}  // namespace heddle::h5
