// What each rank of an all-to-all-v sends to each other one, as numpy.savetxt(file, matrix, fmt="%d") writes it.
#pragma once

#include <string>

#include "io/formats/plain.hpp"

namespace heddle {

/// As many lines as there are ranks, each with as many whole numbers of bytes between blanks: the number of line i and
/// column j is what rank i sends to rank j. What a rank sends to itself is read and left out: it does not travel.
/// Throws InputError for what is malformed.
PlainByteMatrix read_byte_matrix(const std::string& path);

}  // namespace heddle
