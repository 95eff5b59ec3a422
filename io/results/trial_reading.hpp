// Damage that HDF5 does not survive.
#pragma once

#include <string>

#include "io/results/input_file.hpp"

namespace heddle {

/// Text attributes lie in heaps of the file that HDF5 neither protects by checksums nor looks at with care: one flipped
/// bit there makes it loop for ever, write beyond its memory, or crash. So a process of its own reads all texts of the
/// file, within a second of processor time, and hands them over; a file that ends that process is refused. A few ms for
/// a whole file.
///
/// Throws InputError when the file is so damaged; whatever else is wrong with it is left to who reads it next. Where no
/// process can be started, and after forbid_trial_readings(), there are no texts, and InputFile reads them itself.
Texts try_reading(const std::string& path);

/// For a process that is one of several of MPI: network cards write into its memory, which a second process must not
/// share even for a moment. There, a file that is damaged in this way (`heddle info` refuses it) ends the program.
void forbid_trial_readings();

}  // namespace heddle
