#include "host/scenario/topology/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/error.hpp"
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
  std::string_view help = {};  // of those that are built
  bool imported = build == build_imported;
};

constexpr std::array kKinds = {Kind{"star", build_star}, Kind{"ai_zone", build_ai_zone},
                               Kind{"multi_zone", build_multi_zone}};

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

GraphBuilder graph_builder(std::string_view kind) {
  for (const Kind& k : kKinds) {
    if (k.name == kind) return k.build;
  }
  if (find_format("topology.kind", kind) != nullptr) return build_imported;
  throw ConfigError(fmt::format("topology.kind: no topology is called \"{}\"; choose one of {}", kind, kTopologyKinds));
}

}  // namespace heddle
