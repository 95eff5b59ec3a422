// Texts of `heddle check` on generators of requests.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// "requests   generator 0: 96 requests of 32 clients; ...", two lines for each generator of requests: how many there
/// are, and what the server with most to send takes to answer.
std::string requests_text(const World& world);

}  // namespace heddle
