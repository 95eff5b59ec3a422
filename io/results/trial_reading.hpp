// Reads a file in a child process first: HDF5 does not survive some damage.
#pragma once

#include <string>

#include "io/results/input_file.hpp"

namespace heddle {

/// Text attributes are in heaps of the file that HDF5 neither protects by checksums nor checks with care: one flipped
/// bit there makes it loop for ever, write beyond its memory, or crash. So a child process reads all texts of the file,
/// within a second of processor time, and returns them; a file that ends that process is refused. This takes a few ms
/// for a whole file.
///
/// Throws InputError when the file is so damaged; any other fault of the file is left to the next reader. Where no
/// process can be started, and after forbid_trial_readings(), there are no texts, and InputFile reads them itself.
Texts try_reading(const std::string& path);

/// Called in a process that is one of several of MPI: network cards write into its memory, which a second process must
/// not share even for a moment. There, a file that is damaged in this way (`heddle info` refuses it) ends the program.
void forbid_trial_readings();

}  // namespace heddle
