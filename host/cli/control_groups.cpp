#include "host/cli/control_groups.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// Adds a group and all its ancestors below the mount point.
void add_groups(const fs::path& mount, const std::string& group, std::vector<fs::path>& groups) {
  groups.push_back(mount);
  fs::path path = mount;
  for (const fs::path& part : fs::path(group).relative_path()) groups.push_back(path /= part);
}

bool among(const std::string& controllers, std::string_view controller) {
  return ("," + controllers + ",").find("," + std::string(controller) + ",") != std::string::npos;
}

}  // namespace

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> control_groups(std::string_view membership, const fs::path& root, std::string_view controller) {
  std::vector<fs::path> groups;
  std::istringstream lines{std::string(membership)};
  for (std::string line; std::getline(lines, line);) {  // hierarchy:controllers:group
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (among(controllers, controller)) add_groups(root / controller, group, groups);
    if (controllers.empty()) {  // version 2
      add_groups(root, group, groups);
      add_groups(root / "unified", group, groups);
    }
  }
  return groups;
}

}  // namespace heddle
