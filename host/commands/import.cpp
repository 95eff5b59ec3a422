// `heddle import`: another simulator's parameter file becomes a configuration.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "host/base/error.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/tell.hpp"
#include "host/cli/text_file.hpp"
#include "host/commands/commands.hpp"
#include "host/config/config.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/formats/hpcc_import.hpp"
#include "io/printable.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The path with links resolved, as far as possible.
fs::path canonical(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : whole;
}

void refuse_input(const std::string& output, const std::string& what, const std::string& input) {
  if (canonical(output) != canonical(input)) return;
  throw ConfigError(fmt::format(
      "{}: is {} itself, which the configuration would overwrite; choose another path with -o", output, what));
}

/// Refuses files that --force may not replace, that is all but empty files and configurations by this command.
void refuse_foreign(const std::string& path) {
  const std::string why = why_not_replaced(path, kHpccImportMark, "a configuration made by `heddle import`");
  if (why.empty()) return;
  throw ConfigError(
      fmt::format("{}: is there already, and {}, so --force does not replace it; remove it by hand if it is not "
                  "needed, or choose another path with -o",
                  path, why));
}

/// Whatever a range of Heddle's does not hold is said before anything is written.
void check_translation(const std::string& path, const std::string& toml) {
  try {
    load_config_text(toml, "the translation");
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: the configuration that it would become is refused:\n{}", path, error.what()));
  }
}

/// Returns whether it replaces a file.
bool check_place(const std::string& output, const ImportArguments& arguments) {
  refuse_input(output, "the file to translate", arguments.input_path);
  if (!is_there(output)) return false;
  if (arguments.force) {
    refuse_foreign(output);
    return true;
  }
  throw ConfigError(
      fmt::format("{}: is there already; choose another path with -o, or replace it with --force", output));
}

}  // namespace

int command_import(const ImportArguments& arguments) {
  const std::string output = arguments.output_path.empty()
                                 ? fs::path(arguments.input_path).replace_extension(".toml").string()
                                 : arguments.output_path;
  const bool replaces = check_place(output, arguments);
  const HpccImport import = import_hpcc_config(arguments.input_path, fs::path(output).parent_path().string(),
                                               {.constant_window = arguments.window == "constant"});
  check_translation(arguments.input_path, import.toml);
  for (const auto& [key, path] : import.inputs) refuse_input(output, "the " + key, path);
  write_text_file(output, import.toml, replaces, "-o");
  fmt::print("{}\n", printable(fmt::format("{}: {} keys translated, {} without a meaning here, named at its end",
                                           output, import.translated, import.meaningless.size())));
  for (const std::string& note : import.notes) fmt::print("note: {}\n", printable(note));
  std::fflush(stdout);
  for (const std::string& warning : import.warnings) tell(stderr, "warning: {}\n", warning);
  fmt::print("next: heddle check {}\n", printable(shell_word(output)));
  return kExitComplete;
}

}  // namespace heddle
