#include "host/scenario/topology/registry.hpp"

#include <fmt/format.h>

#include <array>

#include "host/base/error.hpp"
#include "host/scenario/topology/kinds.hpp"
#include "host/scenario/topology/options.hpp"
#include "io/formats/formats.hpp"

namespace heddle {

Graph build_star(const GraphInput& input);
Graph build_ai_zone(const GraphInput& input);
Graph build_multi_zone(const GraphInput& input);
Graph build_imported(const GraphInput& input);

namespace {

struct Kind {
  std::string_view name;
  GraphBuilder build;
  std::string_view help;
};

constexpr std::array kKinds = {
    Kind{"star", build_star, "one switch"},
    Kind{"ai_zone", build_ai_zone, "RTSWs and CTSWs"},
    Kind{"multi_zone", build_multi_zone, "zones under ATSWs"},
};

}  // namespace

std::string built_topologies() {
  std::string kinds;
  for (const Kind& kind : kKinds) kinds.append(kinds.empty() ? "" : "|").append(kind.name);
  return kinds;
}

std::string built_topologies_help() {
  std::string help;
  for (const Kind& kind : kKinds) help += fmt::format("{}: {}; ", kind.name, kind.help);
  return help;
}

GraphBuilder graph_builder(std::string_view kind) {
  for (const Kind& k : kKinds) {
    if (k.name == kind) return k.build;
  }
  if (find_format("topology.kind", kind) != nullptr) return build_imported;
  throw ConfigError(fmt::format("topology.kind: no topology is called \"{}\"; choose one of {}", kind, kTopologyKinds));
}

}  // namespace heddle
