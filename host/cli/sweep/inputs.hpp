// The files that the configurations of a sweep read, copied into its folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace heddle {

struct Config;
struct Format;

/// A sweep's folder can be moved, and what is changed beside the original configuration later does not change runs that
/// have not started yet: so it has copies of the input files, once each. Their names say what is in them
/// (inputs/flows_0123456789abcdef.txt, with a hash), so another content is another configuration. Files of ranks share
/// a name in front (inputs/trace_0123456789abcdef.0.et).
class SweepInputs {
 public:
  /// Makes `config` name the copies. Throws ConfigError when an input is a pipe or device, which could be read only
  /// once. Missing files are left for build_world to report.
  void take(Config& config);

  /// The files to copy: name within the sweep's folder -> file.
  const std::map<std::string, std::filesystem::path>& copies() const { return copies_; }

 private:
  void take(const Config& config, const std::string& key, std::string& file, const Format& format);

  std::map<std::filesystem::path, std::string> names_;
  std::map<std::string, std::filesystem::path> copies_;
};

}  // namespace heddle
