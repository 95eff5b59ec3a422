#include "host/scenario/topology/registry.hpp"

#include <fmt/format.h>

#include <array>

#include "host/base/error.hpp"

namespace heddle {
namespace {

struct Kind {
  std::string_view name;
  GraphBuilder build;
};

constexpr std::array kKinds = {
    Kind{"star", build_star},     Kind{"ai_zone", build_ai_zone}, Kind{"multi_zone", build_multi_zone},
    Kind{"hpcc", build_imported}, Kind{"simai", build_imported},  Kind{"htsim", build_imported},
};

}  // namespace

GraphBuilder graph_builder(std::string_view kind) {
  std::string known;
  for (const Kind& k : kKinds) {
    if (k.name == kind) return k.build;
    known += known.empty() ? std::string(k.name) : fmt::format(", {}", k.name);
  }
  throw ConfigError(fmt::format("topology.kind: no topology is called \"{}\"; choose one of {}", kind, known));
}

}  // namespace heddle
