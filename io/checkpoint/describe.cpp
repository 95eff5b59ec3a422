#include "io/checkpoint/describe.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/checkpoint/seal.hpp"
#include "io/checkpoint/slots.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"
#include "io/printable.hpp"
#include "io/results/describe_json.hpp"
#include "io/results/input_file.hpp"
#include "io/results/killed_part.hpp"
#include "io/results/text_table.hpp"
#include "io/results/trial_reading.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

/// The result file that a checkpoint of this name is of.
std::optional<std::string> result_path_of(const std::string& path) {
  for (const std::string& slot : checkpoint_paths("")) {
    if (path.size() > slot.size() && path.ends_with(slot)) return path.substr(0, path.size() - slot.size());
  }
  return std::nullopt;
}

/// The checkpoint itself holds no time stamp, so that equal states are equal files.
std::string written_text(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "unknown";
  std::tm parts = {};
  gmtime_r(&status.st_mtime, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// The rows that a resumed run needs lie in the result file that the run has begun.
void add_part(TextTable& table, const std::string& path, const std::string& result_path, const RunIdentity& run) {
  const std::string part = result_path + ".part";
  try {
    const KilledPart fits(part, run);
    const InputFile file(part, try_reading(part));
    table.row({"rows", fmt::format("{}: {} rank(s), {} thread(s), begun {}", part, file.number_attribute("/", "ranks"),
                                   file.number_attribute("/", "threads"), file.text_attribute("/", "date"))});
    const std::string command = file.text_attribute("/", "command_line");
    table.row({"command", command});
    const bool resumes = command.find("--resume") != std::string::npos;
    table.row({"to resume",
               fmt::format("{} (takes the newer of two checkpoints; this one: --resume {})",
                           resumes ? "the same command" : "the same command with --resume auto", shell_word(path))});
  } catch (const InputError& error) {
    table.row({"to resume", fmt::format("not possible, the rows until then are needed: {}", error.what())});
  }
}

/// The rows that a resumed run needs: where they are, and what keeps it from resuming, or null.
nlohmann::ordered_json rows_json(const std::string& part, const RunIdentity& run) {
  try {
    const KilledPart fits(part, run);
    const InputFile file(part, try_reading(part));
    return {{"file", part},
            {"problem", nullptr},
            {"ranks", file.number_attribute("/", "ranks")},
            {"threads", file.number_attribute("/", "threads")},
            {"date", file.text_attribute("/", "date")},
            {"command_line", file.text_attribute("/", "command_line")}};
  } catch (const InputError& error) {
    return {{"file", part}, {"problem", error.what()}};
  }
}

}  // namespace

bool is_checkpoint(const std::string& path) {
  const OrdinaryFile file(path);
  std::string first(kCheckpointFormat.size() + 1, '\0');
  const ssize_t got = file.problem().empty() ? ::pread(file.descriptor(), first.data(), first.size(), 0) : 0;
  return got == static_cast<ssize_t>(first.size()) && first == std::string(kCheckpointFormat) + "\n";
}

std::string describe_checkpoint(const std::string& path) {
  const CheckpointHeader header = verify_seal(path);
  const RunIdentity& run = header.run;
  const std::optional<std::string> result_path = result_path_of(path);
  TextTable table(2);
  table.row({"checkpoint", fmt::format("{}, whole", human_bytes(OrdinaryFile(path).bytes()))});
  table.row({"state at", human_time(header.time_ps) + " of simulated time"});
  table.row({"written", written_text(path)});
  table.row({"software", "heddle " + run.software_version});
  table.row({"hashes", fmt::format("configuration {:016x}, topology {:016x}, workload {:016x}", run.config_hash,
                                   run.topology_hash, run.workload_hash)});
  if (result_path) {
    add_part(table, path, *result_path, run);
  } else {
    table.row({"to resume", fmt::format("the command of its run with --resume {}", shell_word(path))});
  }
  return printable(printable_name(path) + "\n" + table.text());
}

std::string describe_checkpoint_json(const std::string& path) {
  const CheckpointHeader header = verify_seal(path);
  const RunIdentity& run = header.run;
  const std::optional<std::string> result_path = result_path_of(path);
  const auto hex = [](u64 hash) { return fmt::format("{:016x}", hash); };
  return line_of(
      {{"file", path},
       {"kind", "checkpoint"},
       {"bytes", OrdinaryFile(path).bytes()},
       {"time_ps", header.time_ps},
       {"written", written_text(path)},
       {"software", {{"version", run.software_version}}},
       {"hashes",
        {{"config", hex(run.config_hash)}, {"topology", hex(run.topology_hash)}, {"workload", hex(run.workload_hash)}}},
       {"rows", result_path ? rows_json(*result_path + ".part", run) : nlohmann::ordered_json()}});
}

}  // namespace heddle
