// Simpler forms of the same traffic, so that shrinking gets further. Only this file of the shrinker knows the meaning
// of a configuration.
#pragma once

#include <toml++/toml.h>

#include "kernels/world/world.hpp"

namespace heddle::property {

/// Returns every message of the World as a [[message]] of its own, in place of generators and flow files; empty where
/// there are none. Jobs stay.
toml::table with_explicit_messages(const toml::table& root, const World& world);

/// Returns one switch with the World's endpoints, in place of the fabric and its routing.
toml::table on_a_star(const toml::table& root, const World& world);

/// Returns a star with only the endpoints that explicit messages and slow receivers name, renumbered in the same order.
/// For configurations without generators and jobs, which name endpoints by rule.
toml::table with_used_endpoints(const toml::table& root, const World& world);

}  // namespace heddle::property
