#include "host/cli/app.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/parse_errors.hpp"
#include "host/cli/provenance.hpp"
#include "host/cli/ranks.hpp"
#include "host/cli/sweep.hpp"
#include "host/error.hpp"
#include "io/error.hpp"
#include "partition/cut/policies.hpp"

namespace heddle {
namespace {

/// Everything that the options below are stored in.
struct Arguments {
  RunArguments run;
  bool reference = false;
  std::vector<std::string> results;
  CheckArguments check;
  SweepArguments sweep;
};

std::string joined(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text += (i == 0 ? "" : " ") + std::string(argv[i]);
  return text;
}

CLI::Option* add_config(CLI::App* command, Arguments& a) {
  return command->add_option("CONFIG", a.run.config_path, "configuration file (TOML)");
}

void add_sets(CLI::App* command, Arguments& a) {
  // one value per --set, so that the configuration may stand after it
  CLI::Option* set = command->add_option("--set", a.run.sets, "section.key=value, laid over the file; may be repeated");
  set->allow_extra_args(false)->take_all();
}

CLI::App* add_run(CLI::App& app, Arguments& a) {
  CLI::App* run = app.add_subcommand("run", "simulate a configuration");
  add_config(run, a)->required();
  add_sets(run, a);
  run->add_option("-o,--output", a.run.output_path,
                  "result file (HDF5); default: output.file, else CONFIG's name with .h5");
  run->add_flag("--force", a.run.force, "overwrite an existing result file");
  run->add_option("--device", a.run.device, "auto (a GPU where there is one, unless --threads is given), cpu or gpu")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}));
  run->add_option("--threads", a.run.threads, "CPU threads; the results are the same for every number")
      ->check(CLI::Range(1u, 4096u));
  run->add_option(
      "--memory", a.run.memory,
      "most memory for tables and simulated state, queued packets included, such as 6GiB; default: 80 % of the "
      "machine's or the control group's; on a GPU: half of its free memory for packets");
  run->add_flag("--check", a.run.check_invariants, "verify invariants after every tick (slow)");
  run->add_flag("-q,--quiet", a.run.quiet, "no progress");
  run->add_option("--resume", a.run.resume,
                  "go on from a checkpoint: its file, or auto (the newest good one of this result file; from the start "
                  "when there is none). Leaves the result of the same run alone when it is there and came to its end")
      ->check([](const std::string& word) {
        return word.empty() ? std::string("nothing is given; give auto, or the file of a checkpoint") : std::string();
      });
  return run;
}

void add_sweep(CLI::App& app, Arguments& a) {
  CLI::App* sweep =
      app.add_subcommand("sweep", "write a folder of configurations, one for every combination of values");
  sweep->add_option("CONFIG", a.sweep.config_path, "configuration file (TOML)")->required();
  sweep->add_option("--axis", a.sweep.axes, "section.key=value,value,... or section.key=first..last; may be repeated")
      ->allow_extra_args(false)
      ->take_all()
      ->required();
  sweep->add_option("--set", a.sweep.sets, "section.key=value, laid over the file in every run; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  sweep->add_option("-o,--output", a.sweep.folder, "folder; default: CONFIG's name with _sweep");
  sweep->add_flag(
      "--force", a.sweep.force,
      "write into a folder that is there; results in it are kept, or refused where they are not of the new sweep");
}

[[noreturn]] void not_yet(const std::string& what, const std::string& arrives_with, const std::string& instead) {
  throw ConfigError(fmt::format("{} is not in this version: it arrives with {}; {}", what, arrives_with, instead));
}

int dispatch(CLI::App& app, const Arguments& a) {
  const std::string name = app.get_subcommands().front()->get_name();
  if (name == "run") return command_run(a.run);
  if (name == "check") return command_check({a.run.config_path, a.run.sets, a.check.ranks, a.check.partition});
  if (name == "config") return command_config(a.run.config_path, a.run.sets, a.reference);
  if (name == "info") return command_info(a.results.front());
  if (name == "compare") return command_compare(a.results);
  if (name == "sweep") return command_sweep(a.sweep);
  not_yet("heddle export", "the exporters",
          "set output.fct_file or output.pfc_file, or read the HDF5 file (io/README.md)");
}

void add_commands(CLI::App& app, Arguments& a) {
  add_run(app, a);
  CLI::App* check = app.add_subcommand("check", "say all that can be said about a configuration without running it");
  add_config(check, a)->required();
  add_sets(check, a);
  CLI::Option* ranks = check->add_option("--ranks", a.check.ranks, "show how the fabric would be divided over N ranks");
  ranks->check(CLI::Range(1u, 1u << 20));
  check->add_option("--partition", a.check.partition, "how; default: partition.policy")
      ->check(CLI::IsMember(policy_names()))
      ->needs(ranks);
  CLI::App* info = app.add_subcommand("info", "a result file, or a checkpoint, on one screen");
  info->add_option("RUN.h5", a.results, "result file, also a .part, or a checkpoint")->required()->expected(1);
  CLI::App* compare = app.add_subcommand("compare", "what differs between runs, in configuration and in outcome");
  compare->add_option("RUNS.h5", a.results, "two or more result files, or the folder of a sweep")
      ->required()
      ->expected(-1);
  CLI::App* config = app.add_subcommand("config", "print a configuration with every default, or the reference");
  add_config(config, a);
  add_sets(config, a);
  config->add_flag("--reference", a.reference, "every parameter with unit, default, range, help and source");
  add_sweep(app, a);
  app.add_subcommand("export", "not in this version")->allow_extras();
}

/// What a file and its --set arguments say together can be wrong where neither is alone: then the arguments are named
/// too.
std::string with_sets(const std::string& message, const std::vector<std::string>& sets) {
  if (sets.empty() || message.find("--set") != std::string::npos) return message;
  std::string text = message + "\n(with";
  for (const std::string& set : sets) text += " --set " + set;
  return text + ")";
}

int report(const std::string& message, int code) {
  fmt::print(stderr, "error: {}\n", message);
  return code;
}

}  // namespace

int run_app(int argc, char** argv) {
  CLI::App app("Heddle: a packet-level simulator of AI-training networks", "heddle");
  Arguments arguments;
  arguments.run.command_line = joined(argc, argv);
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(kExitCodeHelp);
  add_commands(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error);
  }
  try {
    return dispatch(app, arguments);
  } catch (const SaidElsewhere&) {
    return kExitComplete;
  } catch (const ConfigError& error) {
    return report(with_sets(error.what(), arguments.run.sets), kExitBadInput);
  } catch (const IoError& error) {
    return report(with_sets(error.what(), arguments.run.sets), kExitBadInput);
  } catch (const std::invalid_argument& error) {  // a World that the engine cannot hold
    return report(with_sets(error.what(), arguments.run.sets), kExitBadInput);
  } catch (const std::bad_alloc&) {
    return report("out of memory; `heddle check` estimates what a configuration needs", kExitInternalError);
  } catch (const std::exception& error) {
    return report(fmt::format("internal error: {}; please report it with the configuration", error.what()),
                  kExitInternalError);
  }
}

}  // namespace heddle
