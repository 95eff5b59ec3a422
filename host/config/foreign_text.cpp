#include "host/config/foreign_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/shell_word.hpp"

namespace heddle {
namespace {

/// The first word after blank lines and comments of //, /* */ and #.
std::string_view first_word(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto behind = [&](std::string_view end) {
    text.remove_prefix(std::min(text.size(), text.find(end) + end.size()));
  };
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.starts_with("//") || text.starts_with("#")) {
      if (text.find('\n') == text.npos) return {};
      behind("\n");
    } else if (text.starts_with("/*")) {
      if (text.find("*/") == text.npos) return {};
      behind("*/");
    } else {
      return text.substr(0, std::min(text.find_first_of(kBlanks), text.size()));
    }
  }
}

std::string replayed(const char* what, const char* format, const std::string& name) {
  return fmt::format(
      "{}, which a job of a configuration replays: write one with a [topology], [[job]] and [job.trace] with format = "
      "\"{}\" and file = \"{}\" (configs/imports/{}.toml is one)",
      what, format, std::filesystem::path(name).filename().string(), format);
}

}  // namespace

std::string foreign_text(std::string_view text, const std::string& name) {
  const std::string_view word = first_word(text);
  const std::string file = std::filesystem::path(name).filename().string();
  if (word == "num_ranks") return replayed("a GOAL schedule of LogGOPSim", "goal", name);
  if (word == "MICRO" || word.starts_with("HYBRID_TRANSFORMER")) return replayed("a workload of SimAI", "simai", name);
  if (name.ends_with(".et")) return replayed("an execution trace of Chakra", "chakra", name);
  if (word == "Nodes" || name.ends_with(".cm")) {
    return fmt::format(
        "a connection matrix of htsim, whose flows a configuration reads: write one with a [topology] and [workload] "
        "with "
        "flow_format = \"htsim\" and flow_file = \"{}\" (configs/imports/htsim.toml is one)",
        file);
  }
  if (name.ends_with(".topo")) {
    return fmt::format(
        "a topology of htsim, which a configuration reads: write one with [topology], kind = \"htsim\" and file = "
        "\"{}\" "
        "(configs/imports/htsim.toml is one)",
        file);
  }
  for (const std::string_view key : {"TOPOLOGY_FILE ", "FLOW_FILE ", "ENABLE_QCN "}) {
    if (text.find(key) != text.npos)
      return fmt::format("a configuration of HPCC's ns-3; `heddle import hpcc {}` translates it", shell_word(name));
  }
  return "";
}

}  // namespace heddle
