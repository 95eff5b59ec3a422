// The file of an imported fabric, as its kind says.
#pragma once

#include <optional>

#include "host/config/config.hpp"
#include "io/foreign/plain.hpp"

namespace heddle {

/// Kinds that read topology.file.
bool is_imported(std::string_view kind);

/// The file of such a kind; a format that knows no servers gives servers of one GPU without NVLink. None for other
/// kinds, and where no file is named. Throws InputError.
std::optional<PlainServers> read_imported_file(const Config& config);

}  // namespace heddle
