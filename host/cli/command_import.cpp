// `heddle import`: another simulator's parameter file becomes a configuration.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/cli/commands.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/error.hpp"
#include "host/import/hpcc_import.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// Beside its place first, so that a full disk leaves no half of it.
void write_configuration(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  errno = 0;
  std::ofstream file(temporary);
  file << text;
  file.close();
  int status = file ? 0 : (errno == 0 ? EIO : errno);
  if (status == 0) status = rename_durably(temporary, path);
  if (status == 0) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw OutputError(fmt::format("cannot write '{}': {}; choose another path with -o", path, std::strerror(status)));
}

}  // namespace

int command_import(const ImportArguments& arguments) {
  const std::string output = arguments.output_path.empty()
                                 ? fs::path(arguments.input_path).replace_extension(".toml").string()
                                 : arguments.output_path;
  if (!arguments.force && fs::exists(output)) {
    throw ConfigError(
        fmt::format("{}: is there already; choose another path with -o, or replace it with --force", output));
  }
  const HpccImport import = import_hpcc_config(arguments.input_path, fs::path(output).parent_path().string());
  write_configuration(output, import.toml);
  fmt::print("{}\n", printable(fmt::format("{}: {} keys translated, {} without a meaning here, named at its end",
                                           output, import.translated, import.meaningless.size())));
  for (const std::string& note : import.notes) fmt::print("note: {}\n", printable(note));
  fmt::print("next: heddle check {}\n", printable(output));
  return kExitComplete;
}

}  // namespace heddle
