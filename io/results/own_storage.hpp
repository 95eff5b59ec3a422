// Whether all that a result file shows lies in the file itself, and is there.
#pragma once

#include <string>

#include "io/results/hdf5.hpp"

namespace heddle {

/// HDF5 follows links to other files, reads rows from any file that a dataset names, and makes up rows that were never
/// written: a result from a stranger could show what lies on this machine, or fill its memory. Reads no row. Throws
/// InputError for a file with a link that is none to an object of its own, a dataset stored elsewhere or by a filter
/// that results do not have, or one that claims more rows than its bytes can hold.
void refuse_foreign_storage(const h5::Handle& file, const std::string& path);

}  // namespace heddle
