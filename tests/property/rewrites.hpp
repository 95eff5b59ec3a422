// Ways to say the same traffic more plainly, so that shrinking gets further: the little that it knows of what a
// configuration means.
#pragma once

#include <toml++/toml.h>

#include "kernels/world/world.hpp"

namespace heddle::property {

/// Every message of the World as a [[message]] of its own, in place of generators and flow files; nothing where there
/// are none. Jobs stay.
toml::table with_explicit_messages(const toml::table& root, const World& world);

/// One switch with the World's endpoints, in place of whatever fabric and routing there is.
toml::table on_a_star(const toml::table& root, const World& world);

/// On a star, only the endpoints that explicit messages and slow receivers name, numbered anew in the same order. For
/// configurations without generators and jobs, which name theirs by rule.
toml::table with_used_endpoints(const toml::table& root, const World& world);

}  // namespace heddle::property
