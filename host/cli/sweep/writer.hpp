// Writes a sweep's folder: all of it, or nothing.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace heddle {

/// The files of the folder, by name within it.
struct SweepFiles {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::filesystem::path> copies;  // copies of existing files
};

/// Whether `folder` holds exactly these texts and copies; results beside them do not matter.
bool holds_files(const std::filesystem::path& folder, const SweepFiles& files);

/// Everything is written to a new folder beside it (or within it, when it exists), and moved when it is complete; when
/// a step fails, the new folder is removed. Throws OutputError when the machine fails (disk full, a quota, a limit of
/// file sizes, a defect), other IoErrors where the user has named a place that cannot be written.
void write_files(const std::filesystem::path& folder, const SweepFiles& files);

}  // namespace heddle
