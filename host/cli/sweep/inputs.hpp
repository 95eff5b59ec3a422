// The files that the configurations of a sweep read, copied into its folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "host/config/config.hpp"

namespace heddle {

/// A sweep's folder can be moved, and later changes beside the original configuration do not affect runs that have not
/// started yet: so the folder has copies of the input files, once each. The names contain a hash of the content
/// (inputs/flows_0123456789abcdef.txt), so another content is another configuration. Files of ranks share a prefix
/// (inputs/trace_0123456789abcdef.0.et).
class SweepInputs {
 public:
  /// Makes `config` name the copies. Throws ConfigError when an input is a pipe or device, which could be read only
  /// once. Missing files are left for build_world to report.
  void take(Config& config);

  /// The files to copy: name within the sweep's folder -> file.
  const std::map<std::string, std::filesystem::path>& copies() const { return copies_; }

 private:
  void take(const Config& config, const std::string& key, std::string& file, bool of_ranks = false);

  std::map<std::filesystem::path, std::string> names_;
  std::map<std::string, std::filesystem::path> copies_;
};

}  // namespace heddle
