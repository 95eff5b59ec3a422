#include "host/cli/parse_errors.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/exit_codes.hpp"
#include "host/cli/ranks.hpp"
#include "host/cli/tell.hpp"
#include "host/config/nearest.hpp"
#include "host/error.hpp"

namespace heddle {
namespace {

struct BadArguments : std::exception {};

/// Whether another rank says it. The ranks whose arguments are right wait in Ranks::agree_on().
bool said_elsewhere() {
  try {
    const Ranks ranks;
    ranks.together([] { throw BadArguments(); });
  } catch (const SaidElsewhere&) {
    return true;
  } catch (const BadArguments&) {
  } catch (const ConfigError&) {  // MPI does not join these tasks, so each speaks for itself
  }
  return false;
}

/// The word that stands where a subcommand should; empty where there is a subcommand, or no word.
std::string unknown_subcommand(const CLI::App& app) {
  if (!app.get_subcommands().empty()) return {};
  for (const std::string& word : app.remaining()) {
    if (word.rfind('-', 0) != 0) return word;
  }
  return {};
}

void say_unknown_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::string near = nearest_word(word, names);
  tell(stderr, "error: \"{}\" is no subcommand{}; `heddle --help` lists them\n", word,
       near.empty() ? "" : fmt::format(", did you mean \"{}\"?", near));
}

}  // namespace

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return kExitComplete;
  }
  if (said_elsewhere()) return kExitComplete;
  const std::string unknown = unknown_subcommand(app);
  if (unknown.empty()) {
    app.exit(error);
  } else {
    say_unknown_subcommand(app, unknown);
  }
  return kExitBadInput;
}

}  // namespace heddle
