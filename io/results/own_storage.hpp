// Whether a result file contains all the data that it shows.
#pragma once

#include <string>

#include "io/results/hdf5.hpp"

namespace heddle {

/// HDF5 follows links to other files, reads rows from any file that a dataset names, and makes up rows that were never
/// written: a result from a stranger could show other files of this machine, or fill its memory. Reads no row. Throws
/// InputError for a file with a link that does not lead to an object of its own, a dataset stored elsewhere or by a
/// filter that results do not use, or a dataset that claims more rows than its bytes can hold.
void refuse_foreign_storage(const h5::Handle& file, const std::string& path);

}  // namespace heddle
