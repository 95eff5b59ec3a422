#include "tests/io/equal_files.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <map>
#include <set>

#include "io/results/hdf5.hpp"

namespace heddle::test {
namespace {

using Objects = std::map<std::string, std::string>;  // path, then its content as bytes

/// What may differ, and what holds addresses in the file (of dimension scales, which are attached when it is created).
bool left_out(const std::string& object, const std::string& attribute) {
  static const std::set<std::string> of_root = {"date",  "command_line", "hosts",  "slurm_job_id",
                                                "ranks", "threads",      "devices"};
  return (object == "." && of_root.contains(attribute)) || attribute == "DIMENSION_LIST" ||
         attribute == "REFERENCE_LIST";
}

std::string shape_of(hid_t space) {
  hsize_t size[8] = {};
  const int axes = H5Sget_simple_extent_dims(space, size, nullptr);
  std::string text;
  for (int axis = 0; axis < axes; ++axis) text += std::to_string(size[axis]) + " ";
  return text;
}

std::string type_of(hid_t type) {
  size_t bytes = 0;
  H5Tencode(type, nullptr, &bytes);
  std::string text(bytes, '\0');
  H5Tencode(type, text.data(), &bytes);
  return text;
}

herr_t visit_attribute(hid_t object, const char* name, const H5A_info_t*, void* into) {
  auto& [path, objects] = *static_cast<std::pair<std::string, Objects*>*>(into);
  std::string& content = (*objects)[path + " attribute " + name];
  if (left_out(path, name)) return 0;
  const h5::Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  const h5::Handle type(H5Aget_type(attribute.get())), space(H5Aget_space(attribute.get()));
  content = shape_of(space.get());
  if (H5Tis_variable_str(type.get()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.get(), type.get(), &text) < 0) return -1;
    content += text == nullptr ? "" : text;
    H5free_memory(text);
    return 0;
  }
  std::string bytes(H5Aget_storage_size(attribute.get()), '\0');
  if (H5Aread(attribute.get(), type.get(), bytes.data()) < 0) return -1;
  content += type_of(type.get()) + bytes;
  return 0;
}

herr_t visit_object(hid_t root, const char* name, const H5O_info_t* info, void* into) {
  const std::string path = name;
  if (path.starts_with("perf")) return 0;
  auto* objects = static_cast<Objects*>(into);
  const h5::Handle object(H5Oopen(root, name, H5P_DEFAULT));
  std::string& content = (*objects)[path];
  if (info->type == H5O_TYPE_DATASET) {
    const h5::Handle type(H5Dget_type(object.get())), space(H5Dget_space(object.get()));
    const auto values = static_cast<size_t>(H5Sget_simple_extent_npoints(space.get()));
    std::string bytes(values * H5Tget_size(type.get()), '\0');
    if (H5Dread(object.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) return -1;
    content = shape_of(space.get()) + type_of(type.get()) + bytes;
  }
  std::pair<std::string, Objects*> attributes{path, objects};
  return H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, visit_attribute, &attributes);
}

Objects objects_of(const std::string& path) {
  h5::silence();
  h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file) file = h5::Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT));
  Objects objects;
  if (!file || H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, visit_object, &objects) < 0)
    return {{"cannot be read: " + path, h5::reason()}};
  return objects;
}

}  // namespace

std::string first_difference(const std::string& path, const std::string& other_path) {
  const Objects objects = objects_of(path), others = objects_of(other_path);
  for (const auto& [name, content] : objects) {
    const auto other = others.find(name);
    if (other == others.end()) return fmt::format("{} is only in {}", name, path);
    if (content != other->second)
      return fmt::format("{} differs: {} ... and {} ...", name, content.substr(0, 12), other->second.substr(0, 12));
  }
  for (const auto& [name, content] : others) {
    if (!objects.contains(name)) return fmt::format("{} is only in {}", name, other_path);
  }
  return "";
}

}  // namespace heddle::test
