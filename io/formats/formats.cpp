#include "io/formats/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "io/formats/hpcc.hpp"
#include "io/formats/reading.hpp"
#include "io/formats/simai.hpp"
#include "io/formats/simai_topology.hpp"
#include "io/nearest.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

/// Memory is at most what was measured of files of a million lines each; tests/host/cli/memory_foretold_test.py holds
/// it against runs.
constexpr std::array kFormats = {
    Format{.key = "import",
           .word = "hpcc",
           .help = "a config.txt or SimAI.conf of HPCC's ns-3",
           .begins = "ENABLE_QCN |TOPOLOGY_FILE |FLOW_FILE "},
    Format{.key = "topology.kind",
           .word = "hpcc",
           .help = "a topology.txt of HPCC's ns-3",
           .read_topology =
               [](const std::string& path, u32 first_hosts) {
                 return PlainServers{.network = read_hpcc_topology(path, {.first_hosts = first_hosts})};
               }},
    Format{.key = "topology.kind",
           .word = "simai",
           .help = "a topology of SimAI",
           .of_servers = true,
           .read_topology = [](const std::string& path, u32) { return read_simai_topology(path); }},
    Format{.key = "topology.kind",
           .word = "htsim",
           .help = "a topology of htsim (.topo)",
           .ending = ".topo",
           .read_topology = [](const std::string& path,
                               u32) { return PlainServers{.network = read_htsim_topology(path)}; }},
    Format{.key = "workload.flow_format",
           .word = "hpcc",
           .file = "flow_file",
           .help = "a flow.txt of HPCC's ns-3",
           .byte_times = 1,
           .line_bytes = 48,
           .read_flows =
               [](const std::string& path, const FlowReading& how) {
                 return PlainMatrix{.flows = read_hpcc_flows(path, how.nodes, {.first_flows = how.first_flows})};
               }},
    Format{.key = "workload.flow_format",
           .word = "htsim",
           .file = "flow_file",
           .help = "a connection matrix of htsim (.cm)",
           .ending = ".cm",
           .begins = "Nodes ",
           .byte_times = 1,
           .line_bytes = 270,
           .read_flows = [](const std::string& path,
                            const FlowReading& how) { return read_htsim_matrix(path, how.first_flows, how.unit); }},
    Format{.key = "job.trace.format",
           .word = "goal",
           .help = "a GOAL schedule of LogGOPSim",
           .begins = "num_ranks ",
           .byte_times = 1,
           .line_bytes = 125,  // an operation, or what it waits for; 70 where all ranks do the same
           .collectives = "send",
           .read_trace = [](const std::string& path,
                            const TraceReading& how) { return read_goal(path, how.eager_bytes); }},
    Format{.key = "job.trace.format",
           .word = "simai",
           .help = "a workload of SimAI or AICB",
           .begins = "MICRO|HYBRID_TRANSFORMER",
           .of_any_gpus = true,
           .collectives = "all_reduce|all_gather|reduce_scatter|all_to_all|broadcast",
           .read_trace = [](const std::string& path, const TraceReading& how) { return read_simai(path, how.gpus); }},
    Format{
        .key = "job.trace.format",
        .word = "chakra",
        .help = "an execution trace of MLCommons Chakra (.et)",
        .ending = ".et",
        .byte_times = 4,
        .files_of_ranks = chakra_files,
        .collectives = "all_reduce|all_gather|reduce_scatter|all_to_all|broadcast|reduce|gather|scatter|barrier|send",
        .read_trace = [](const std::string& path,
                         const TraceReading& how) { return read_chakra(path, how.groups_file, how.gpu); }},
    Format{.key = "job.trace.groups_file", .help = "ranks of a Chakra trace's process groups, as ASTRA-sim has them"},
    Format{.key = "job.collective.matrix_file",
           .help = "a matrix of bytes between ranks, as numpy.savetxt writes it",
           .byte_times = 6},  // numbers of one digit, which take 8 B each
    Format{.key = "generator.size_cdf",
           .help = "a distribution of sizes, of HPCC's traffic generator",
           .byte_times = 1,
           .line_bytes = 80},
    Format{.key = "routing.paths_file", .help = "CSV of paths, another simulator's to replay"},
    Format{.key = "routing.weights_file", .help = "CSV of next hops' weights"},
    Format{.key = "routing.demands_file", .help = "CSV of bytes between racks"},
    Format{.key = "output.fct_file", .help = "an fct.txt of HPCC's ns-3", .written = true},
    Format{.key = "output.pfc_file", .help = "a pfc.txt of HPCC's ns-3", .written = true},
};

bool has_line(std::string_view text, std::string_view beginning) {
  for (size_t at = text.find(beginning); at != text.npos; at = text.find(beginning, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return true;
  }
  return false;
}

/// By name first: a matrix and a topology of htsim begin alike.
const Format* recognised(std::string_view text, std::string_view name) {
  for (const Format& format : kFormats) {
    if (!format.ending.empty() && name.ends_with(format.ending)) return &format;
  }
  for (const Format& format : kFormats) {
    for (const std::string_view beginning : words_in(format.begins)) {
      if (has_line(text, beginning)) return &format;
    }
  }
  return nullptr;
}

/// Of each of a key, one after the other.
template <class Text>
std::string list_of(std::string_view key, std::string_view between, const Text& text) {
  std::string out;
  for (const Format& format : kFormats) {
    if (format.key == key) out.append(out.empty() ? "" : between).append(text(format));
  }
  return out;
}

}  // namespace

std::vector<std::string> Format::files(const std::string& path) const {
  return files_of_ranks != nullptr ? files_of_ranks(path) : std::vector<std::string>{path};
}

std::string Format::named() const {
  if (key == "import") return fmt::format("heddle import {}", word);
  return word.empty() ? std::string(key) : fmt::format("{} = \"{}\"", key, word);
}

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view key, std::string_view word) {
  const auto found =
      std::ranges::find_if(kFormats, [&](const Format& format) { return format.key == key && format.word == word; });
  return found == kFormats.end() ? nullptr : &*found;
}

std::string format_words(std::string_view key) {
  return list_of(key, "|", [](const Format& format) { return format.word; });
}

std::string format_helps(std::string_view key) {
  return list_of(key, "; ", [](const Format& format) { return fmt::format("{}: {}", format.word, format.help); });
}

std::string foreign_text(std::string_view text, const std::string& name) {
  const Format* format = recognised(text, name);
  if (format == nullptr) return "";
  if (format->key == "import")
    return fmt::format("{}; `{} {}` translates it", format->help, format->named(), shell_word(name));
  const size_t end = format->key.rfind('.');
  std::filesystem::path file = std::filesystem::path(name).filename();
  if (format->files_of_ranks != nullptr) file = file.stem().stem();
  return fmt::format(
      "{}, which a configuration names: write one with {} = \"{}\" and {} = \"{}\" in [{}] (configs/imports/{}.toml is "
      "one)",
      format->help, format->key.substr(end + 1), format->word, format->file, file.string(), format->key.substr(0, end),
      format->word);
}

}  // namespace heddle
