// The file of an imported fabric, according to its kind.
#pragma once

#include <optional>

#include "host/config/config.hpp"
#include "io/formats/plain.hpp"

namespace heddle {

struct Config;

/// The file of an imported kind; a format that knows no servers gives servers of one GPU without NVLink. None for other
/// kinds, and where no file is named. Throws InputError.
std::optional<PlainServers> read_imported_file(const Config& config);

}  // namespace heddle
