#include "host/scenario/topology/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/error.hpp"
#include "host/scenario/topology/kinds.hpp"

namespace heddle {

Graph build_star(const GraphInput& input);
Graph build_ai_zone(const GraphInput& input);
Graph build_multi_zone(const GraphInput& input);
Graph build_imported(const GraphInput& input);

namespace {

struct Kind {
  std::string_view name;
  GraphBuilder build;
  std::string_view help = {};  // of those that are built
  bool imported = build == build_imported;
};

constexpr std::array kKinds = {
    Kind{"star", build_star, "one switch"},
    Kind{"ai_zone", build_ai_zone, "RTSWs and CTSWs"},
    Kind{"multi_zone", build_multi_zone, "zones under ATSWs"},
    Kind{"hpcc", build_imported},
    Kind{"simai", build_imported},
    Kind{"htsim", build_imported},
};

const Kind* find_kind(std::string_view name) {
  const auto* kind = std::ranges::find(kKinds, name, &Kind::name);
  return kind == kKinds.end() ? nullptr : kind;
}

std::string joined(bool imported, std::string_view separator) {
  std::string all;
  for (const Kind& kind : kKinds) {
    if (kind.imported == imported) all.append(all.empty() ? "" : separator).append(kind.name);
  }
  return all;
}

}  // namespace

std::string topology_kinds(bool imported) { return joined(imported, "|"); }

std::string topology_help() {
  std::string help;
  for (const Kind& kind : kKinds) {
    if (!kind.imported) help += fmt::format("{}: {}; ", kind.name, kind.help);
  }
  return help + joined(true, ", ") + ": a file of that simulator (file)";
}

bool is_imported(std::string_view kind) {
  const Kind* found = find_kind(kind);
  return found != nullptr && found->imported;
}

GraphBuilder graph_builder(std::string_view kind) {
  if (const Kind* found = find_kind(kind)) return found->build;
  throw ConfigError(fmt::format("topology.kind: no topology is called \"{}\"; choose one of {}, {}", kind,
                                joined(false, ", "), joined(true, ", ")));
}

}  // namespace heddle
