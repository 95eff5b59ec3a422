// The configuration as text: resolved for the result file, and as reference for people.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/config/config.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {

namespace {

std::string text_without(const Config& config, std::span<const std::string_view> skipped_paths) {
  Config copy = config;  // sections hold pointers to fields that may be written
  std::string text;
  for (const Section& section : sections_of(copy)) {
    const bool skipped = std::find(skipped_paths.begin(), skipped_paths.end(), section.path) != skipped_paths.end();
    if (skipped) continue;
    std::string lines;
    for (const BoundParameter& p : section.parameters) {
      if (applies(section, p)) lines += fmt::format("{} = {}\n", p.key, toml_value(p));
    }
    if (!lines.empty()) text += (text.empty() ? "" : "\n") + section.header + "\n" + lines;
  }
  return text;
}

}  // namespace

std::string resolved_text(const Config& config) { return text_without(config, {}); }

u64 config_hash(const Config& config) {
  u64 state = 0;
  constexpr std::string_view kDecideNothing[] = {"partition", "checkpoint", "output"};
  for (const char c : text_without(config, kDecideNothing)) state = absorb(state, static_cast<unsigned char>(c));
  return state;
}

Config config_with_every_section() {
  Config config;
  config.fabrics.resize(1);
  config.messages.resize(1);
  config.generators.resize(1);
  config.slow_receivers.resize(1);
  config.failures.resize(1);
  config.jobs.resize(1);
  config.jobs[0].collectives.resize(1);
  return config;
}

std::string reference_text() {
  Config config = config_with_every_section();
  std::string text;
  for (const Section& section : sections_of(config)) {
    if (section.parameters.empty()) continue;
    text += fmt::format("{}{}  # {}\n", text.empty() ? "" : "\n", section.header, section.help);
    for (const BoundParameter& p : section.parameters) {
      const std::string value = p.source == kToBeGiven ? "(must be given)" : toml_value(p);
      text += fmt::format("  {} = {}\n      {}\n      type: {}\n", p.key, value, p.help, describe_type(p));
      if (!p.only_with.empty()) text += fmt::format("      only with: {}\n", p.only_with);
      if (!p.source.empty() && p.source != kToBeGiven) text += fmt::format("      source: {}\n", p.source);
    }
  }
  return text;
}

}  // namespace heddle
