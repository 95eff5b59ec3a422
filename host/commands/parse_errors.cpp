#include "host/commands/parse_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/ranks.hpp"
#include "host/cli/tell.hpp"
#include "io/nearest.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

struct BadArguments : std::exception {};

/// Whether another rank prints the error. The ranks whose arguments are right wait in Ranks::agree_on().
bool said_elsewhere() {
  try {
    const Ranks ranks;
    ranks.together([] { throw BadArguments(); });
  } catch (const SaidElsewhere&) {
    return true;
  } catch (const BadArguments&) {
  } catch (const ConfigError&) {  // MPI does not join these tasks, so each reports for itself
  }
  return false;
}

/// The word in the place of a subcommand; empty where there is a subcommand, or no word.
std::string unknown_subcommand(const CLI::App& app) {
  if (!app.get_subcommands().empty()) return {};
  for (const std::string& word : app.remaining()) {
    if (word.rfind('-', 0) != 0) return word;
  }
  return {};
}

std::vector<std::string_view> subcommands(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string_view>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? "" : fmt::format(", did you mean \"{}\"?", near);
}

/// "--set a=1 b=2 file.toml": the word in the place of CONFIG, or behind it, if it is a key and its value.
std::string more_than_one_set(const CLI::App& command, std::vector<std::string> words) {
  if (const CLI::Option* config = command.get_option_no_throw("CONFIG"); config != nullptr && config->count() > 0)
    words.insert(words.begin(), config->results().front());
  const auto pair = std::ranges::find_if(words, [](const std::string& word) { return word.find('=') != word.npos; });
  if (pair == words.end()) return "";
  return fmt::format("; \"{0}\" looks like a key with its value: --set takes one each, so write --set {1}", *pair,
                     shell_word(*pair));
}

/// A word after the subcommand that no option takes: a mistyped option, or one value too many.
std::string unexpected_word(const CLI::App& command, const std::vector<std::string>& words) {
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  if (option == words.end())
    return fmt::format("\"{}\" is more than it takes{}", words.front(), more_than_one_set(command, words));
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  }
  const std::string word = option->substr(0, option->find('='));
  return fmt::format("\"{}\" is no option of it{}", word, did_you_mean(word, {names.begin(), names.end()}));
}

std::string message_of(const CLI::App& app, const CLI::ParseError& error) {
  const std::string unknown = unknown_subcommand(app);
  if (!unknown.empty()) {
    return fmt::format("\"{}\" is no subcommand{}; `heddle --help` lists them", unknown,
                       did_you_mean(unknown, subcommands(app)));
  }
  const std::vector<std::string> words = app.remaining(true);
  if (app.get_subcommands().empty()) {
    if (!words.empty()) return fmt::format("heddle: {}; `heddle --help` says more", unexpected_word(app, words));
    std::string names;
    for (const std::string_view name : subcommands(app)) names.append(names.empty() ? "" : ", ").append(name);
    return fmt::format("no subcommand is given; `heddle --help` says what each does: {}", names);
  }
  const CLI::App& command = *app.get_subcommands().front();
  const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !words.empty();
  return fmt::format("heddle {0}: {1}; `heddle {0} --help` says more", command.get_name(),
                     unexpected ? unexpected_word(command, words) : error.what());
}

}  // namespace

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return kExitComplete;
  }
  if (said_elsewhere()) return kExitComplete;
  tell(stderr, "error: {}\n", message_of(app, error));
  return kExitBadInput;
}

}  // namespace heddle
