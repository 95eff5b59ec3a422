#include "host/commands/app.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/machine_fault.hpp"
#include "host/cli/provenance.hpp"
#include "host/cli/ranks.hpp"
#include "host/cli/sweep/sweep.hpp"
#include "host/cli/tell.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/parse_errors.hpp"
#include "host/commands/python_tools.hpp"
#include "io/error.hpp"
#include "io/formats/formats.hpp"
#include "io/shell_word.hpp"
#include "partition/cut/policies.hpp"

namespace heddle {
namespace {

/// The values of all options below.
struct Arguments {
  RunArguments run;
  bool reference = false, every_run = false;
  std::vector<std::string> results;
  CheckArguments check;
  bool json = false, csv = false;
  SweepArguments sweep;
  ImportArguments import;
  SelfTestArguments self_test;
  std::vector<std::string> words;  // arguments of a command in Python
};

/// The command line, quoted for a shell.
std::string joined(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text += (i == 0 ? "" : " ") + shell_word(argv[i]);
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

/// Why a name cannot be meant, such as an unset shell variable or an option taken for the value; "" when it can.
std::string why_no_name(const std::string& name, const std::string& option) {
  if (name.empty())
    return fmt::format("nothing is given (is a variable of the shell not set?); leave {} out for the default", option);
  if (name.size() == 1 || name[0] != '-') return "";
  return fmt::format(
      "\"{}\" begins as an option does, so {} has no value; give a name after it, or \"./{}\" if that is the name",
      name, option, name);
}

CLI::Option* add_output(CLI::App* command, std::string& output, const std::string& help) {
  return command->add_option("-o,--output", output, help)->check([](const std::string& name) {
    return why_no_name(name, "-o");
  });
}

CLI::App* add_run(CLI::App& app, Arguments& a) {
  CLI::App* run = app.add_subcommand("run", "simulate a configuration");
  add_config(run, a)->required();
  add_sets(run, a);
  add_output(run, a.run.output_path, "result file (HDF5); default: output.file, else CONFIG's name with .h5");
  run->add_flag("--force", a.run.force, "overwrite an existing result file");
  run->add_option("--device", a.run.device, "auto (a GPU where there is one, unless --threads is given), cpu or gpu")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}));
  run->add_option(
         "--threads", a.run.threads,
         "CPU threads; default: the cores that this process may use, at most 16, fewer for a small fabric. The "
         "results are the same for every number")
      ->check(CLI::Range(1u, 4096u));
  run->add_option("--memory", a.run.memory,
                  "most memory of the process, queued packets included, such as 6GiB; default: 80 % of the "
                  "machine's or the control group's; on a GPU: half of its free memory for packets");
  run->add_flag("--check", a.run.check_invariants, "verify invariants after every tick (slow)");
  run->add_flag("-q,--quiet", a.run.quiet, "no progress");
  run->add_option(
         "--resume", a.run.resume,
         "resume from a checkpoint: its file, or auto (the newest good one of this result file; from the start "
         "when there is none). Leaves the result of the same run alone when it is there and came to its end")
      ->check([](const std::string& word) {
        if (word.empty()) return std::string("nothing is given; give auto, or the file of a checkpoint");
        if (word[0] != '-') return std::string();
        return fmt::format("\"{}\" begins as an option does; --resume needs auto, or the file of a checkpoint", word);
      });
  return run;
}

void add_sweep_run(CLI::App* sweep, Arguments& a) {
  CLI::Option* run = sweep->add_flag(
      "--run", a.sweep.run,
      "run them on this machine, each as a process with a log beside its result; what has a result is left alone, what "
      "was begun resumes. Also: heddle sweep FOLDER --run");
  sweep
      ->add_option("--jobs", a.sweep.running.jobs,
                   "runs at a time; default: as many as there are cores (for --threads each) and memory for")
      ->check(CLI::Range(1u, 4096u))
      ->needs(run);
  sweep
      ->add_option("--threads", a.sweep.running.threads,
                   "CPU threads of each run; default: an equal share of the cores")
      ->check(CLI::Range(1u, 4096u))
      ->needs(run);
  sweep
      ->add_option(
          "--memory", a.sweep.running.memory,
          "most memory of each run, such as 6GiB; default: the runs share 80 % of the machine's or the control group's")
      ->needs(run);
  sweep->add_option("--device", a.sweep.running.device, "of every run: auto, cpu or gpu (one run at a time)")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
      ->needs(run);
}

void add_sweep(CLI::App& app, Arguments& a) {
  CLI::App* sweep =
      app.add_subcommand("sweep", "write a folder of configurations, one for every combination of values, and run it");
  sweep->add_option("CONFIG", a.sweep.config_path, "configuration file (TOML), or with --run the folder of a sweep")
      ->required();
  sweep
      ->add_option(
          "--axis", a.sweep.axes,
          "section.key=value,value,... or section.key=first..last:step; key+key=value:value,... changes several "
          "keys together; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  sweep->add_option("--set", a.sweep.sets, "section.key=value, laid over the file in every run; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  add_output(sweep, a.sweep.folder, "folder; default: CONFIG's name with _sweep");
  sweep->add_flag(
      "--force", a.sweep.force,
      "write into a folder that is there; results in it are kept, or refused where they are not of the new sweep");
  add_sweep_run(sweep, a);
}

void add_import(CLI::App& app, Arguments& a) {
  CLI::App* import = app.add_subcommand("import", "translate another simulator's parameters into a configuration");
  std::vector<std::string> words;
  std::string others = "What needs no translation, as a configuration names it:\n";
  for (const Format& format : formats()) {
    if (format.key == "import") {
      words.emplace_back(format.word);
    } else {
      others += fmt::format("  {:<33}{}{}\n", format.named(), format.help, format.written ? " (written)" : "");
    }
  }
  import->footer(others);
  import->add_option("FORMAT", a.import.format, format_helps("import"))->required()->check(CLI::IsMember(words));
  import->add_option("FILE", a.import.input_path, "the file to translate")->required();
  add_output(import, a.import.output_path, "configuration to write; default: FILE's name with .toml");
  import->add_flag("--force", a.import.force, "overwrite an existing configuration");
  import
      ->add_option("--window", a.import.window,
                   "exact (default): refuse a window that follows the rate (VAR_WIN 1 with DCQCN), which is not "
                   "simulated; constant: keep it at its largest")
      ->check(CLI::IsMember({"exact", "constant"}));
}

void add_selftest(CLI::App& app, Arguments& a) {
  CLI::App* test = app.add_subcommand(
      "selftest",
      "simulate small worlds on this machine in ways that must give the same bits, and say whether they do");
  test->add_option("--device", a.self_test.device, "what is compared with one thread of the CPU: auto, cpu or gpu")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}));
  test->add_option("--worlds", a.self_test.worlds,
                   "how many; default: every kind twice. After each kind they go on with other sizes and seeds")
      ->check(CLI::Range(1u, 1000000u));
}

/// Runs a command that simulates nothing: with several ranks the first one runs it, once, and the others end with it.
int dispatch_once(const std::string& name, const Arguments& a) {
  std::optional<Ranks> ranks;
  if (const std::optional<u32> rank = Ranks::among_alike()) {
    if (*rank != 0) return kExitComplete;
  } else if (Ranks::are_several()) {
    ranks.emplace().agree_on(name);
    if (!ranks->first()) return kExitComplete;
  }
  const ReportFormat format = a.json ? ReportFormat::json : a.csv ? ReportFormat::csv : ReportFormat::text;
  if (name == "check") {
    return command_check({a.check.config_paths, a.run.sets, a.check.ranks, a.check.partition, a.check.draw_path});
  }
  if (name == "config") return command_config(a.run.config_path, a.run.sets, a.reference);
  if (name == "info") return command_info(a.results, format);
  if (name == "compare") return command_compare(a.results, format, a.every_run);
  if (name == "sweep") return command_sweep(a.sweep);
  if (name == "import") return command_import(a.import);
  if (name == "selftest") return command_selftest(a.self_test);
  for (const PythonTool& tool : python_tools()) {
    if (name == tool.name) become_python(name, a.words);
  }
  throw std::logic_error("nothing carries out the command " + name);
}

int dispatch(CLI::App& app, const Arguments& a) {
  const std::string name = app.get_subcommands().front()->get_name();
  return name == "run" ? command_run(a.run) : dispatch_once(name, a);
}

void add_check(CLI::App& app, Arguments& a) {
  CLI::App* check = app.add_subcommand("check", "say all that can be said about a configuration without running it");
  check->add_option("CONFIG", a.check.config_paths, "configuration files (TOML)")->required()->expected(-1);
  add_sets(check, a);
  CLI::Option* ranks = check->add_option("--ranks", a.check.ranks, "show how the fabric would be divided over N ranks");
  ranks->check(CLI::Range(1u, 1u << 20));
  check->add_option("--partition", a.check.partition, "how; default: partition.policy")
      ->check(CLI::IsMember(policy_names()))
      ->needs(ranks);
  check
      ->add_option("--draw", a.check.draw_path,
                   "also draw the fabric of one configuration: its tiers, groups, cables and oversubscription, as SVG")
      ->check([](const std::string& name) { return why_no_name(name, "--draw"); });
}

void add_commands(CLI::App& app, Arguments& a) {
  add_run(app, a);
  add_check(app, a);
  CLI::App* info = app.add_subcommand("info", "a result file, or a checkpoint, on one screen");
  info->add_option("RUN.h5", a.results, "result files, also .parts, or checkpoints")->required()->expected(-1);
  info->add_flag("--json", a.json, "one line of JSON per file; io/JSON.md documents the keys");
  CLI::App* compare = app.add_subcommand("compare", "what differs between runs, in configuration and in outcome");
  compare
      ->add_option("RUNS.h5", a.results,
                   "two or more result files, the folder of a sweep, or folders of steps (heddle step)")
      ->required()
      ->expected(-1);
  compare->add_flag(
      "--every-run", a.every_run,
      "of a sweep: every run on a line, also those that differ in simulation.seed alone, of which otherwise "
      "the mean and its 95 % confidence interval are shown");
  CLI::Option* json = compare->add_flag("--json", a.json, "one line of JSON; io/JSON.md documents the keys");
  compare->add_flag("--csv", a.csv, "a table with one row per run")->excludes(json);
  CLI::App* config = app.add_subcommand("config", "print a configuration with every default, or the reference");
  add_config(config, a);
  add_sets(config, a);
  config->add_flag("--reference", a.reference, "every parameter with unit, default, range, help and source");
  add_sweep(app, a);
  add_import(app, a);
  add_selftest(app, a);
  for (const PythonTool& tool : python_tools()) app.add_subcommand(std::string(tool.name), std::string(tool.help));
}

/// Names the --set arguments, too, as an error may come from a file and its arguments together.
std::string with_sets(const std::string& message, const std::vector<std::string>& sets) {
  if (sets.empty() || message.find("--set") != std::string::npos) return message;
  std::string text = message + "\n(with";
  for (const std::string& set : sets) text += " --set " + set;
  return text + ")";
}

int report(const std::string& message, int code) {
  tell(stderr, "error: {}\n", message);
  return code;
}

/// Checks standard output, which is the only result of most commands; a command that simulates has its files.
int with_output_looked_at(int code, bool simulates) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0 && std::cout.flush().good();
  if (flushed && std::ferror(stdout) == 0) return code;
  const int reason = errno;
  const std::string why = reason == 0 ? "" : fmt::format(": {}", std::strerror(reason));
  const bool closed = (::fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;  // main.cpp opens a closed one so
  const char* const advice = closed            ? "it is closed"
                             : reason == EPIPE ? "who read it has gone (a closed pipe)"
                                               : "is the disk full that it goes to?";
  const std::string what = fmt::format("cannot write to standard output{}; {}", why, advice);
  if (!simulates) return report(what, code == kExitComplete ? kExitInternalError : code);
  tell(stderr, "warning: {} (the files of the run, and its exit code, are as they would have been)\n", what);
  return code;
}

int run_command(CLI::App& app, const Arguments& arguments) {
  try {
    return dispatch(app, arguments);
  } catch (const SaidElsewhere&) {
    return kExitComplete;
  } catch (const ConfigError& error) {
    return report(with_sets(error.what(), arguments.run.sets), kExitBadInput);
  } catch (const MachineFault& error) {
    return report(with_sets(error.what(), arguments.run.sets), kExitInternalError);
  } catch (const IoError& error) {
    return report(with_sets(error.what(), arguments.run.sets), kExitBadInput);
  } catch (const std::invalid_argument& error) {  // a World too large for the engine
    return report(with_sets(error.what(), arguments.run.sets), kExitBadInput);
  } catch (const std::bad_alloc&) {
    return report(
        "out of memory; `heddle check` estimates what a configuration needs (where `ulimit -v` limits it, heddle run "
        "--memory SIZE must stay well below that)",
        kExitInternalError);
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0 && !app.got_subcommand("run"))
      return kExitComplete;  // this error is printed in a moment, with its reason
    return report(fmt::format("internal error: {}; please report it with the configuration", error.what()),
                  kExitInternalError);
  }
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
  // All arguments of a command in Python are passed to Python: its --help, and a name behind --.
  const bool for_python =
      argc > 1 && std::ranges::any_of(python_tools(), [&](const PythonTool& tool) { return tool.name == argv[1]; });
  if (for_python) arguments.words.assign(argv + 2, argv + argc);
  try {
    app.parse(for_python ? 2 : argc, argv);
  } catch (const CLI::ParseError& error) {
    return with_output_looked_at(report_parse_error(app, error), false);
  }
  const bool simulates = app.got_subcommand("run") || (app.got_subcommand("sweep") && arguments.sweep.run);
  if (simulates) std::signal(SIGPIPE, SIG_IGN);  // a reader of the output may end: only writing to it fails then
  return with_output_looked_at(run_command(app, arguments), simulates);
}

}  // namespace heddle
