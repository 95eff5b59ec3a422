// The file of an imported fabric, according to its kind.
#pragma once

#include <optional>

#include "host/config/config.hpp"
#include "io/foreign/plain.hpp"

namespace heddle {

/// Whether a kind reads topology.file.
bool is_imported(std::string_view kind);

/// The file of an imported kind; a format without servers gives servers of one GPU without NVLink. None for other
/// kinds, and where no file is named. Throws InputError.
std::optional<PlainServers> read_imported_file(const Config& config);

}  // namespace heddle
