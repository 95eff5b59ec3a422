// The control groups of this process, whose files give its limits.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The content of a file; "" where there is none.
std::string text_of(const std::filesystem::path& file);

/// Folders below `root` (/sys/fs/cgroup) of the groups that `membership` (the text of /proc/self/cgroup) names, and of
/// the groups above them: those of `controller` in version 1, and those of version 2, alone or beside version 1. They
/// need not be there: a container often sees only its own group, mounted at the root.
std::vector<std::filesystem::path> control_groups(std::string_view membership, const std::filesystem::path& root,
                                                  std::string_view controller);

}  // namespace heddle
