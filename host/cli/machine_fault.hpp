// Errors that are the machine's fault and not the user's: exit code 1, not 2.
#pragma once

#include <cerrno>

#include "io/error.hpp"

namespace heddle {

/// Whether errno `code` means a full disk, a quota, a limit of file sizes or a defect.
inline bool is_machines_fault(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO; }

/// A file that could not be written for such a reason.
struct MachineFault : OutputError {
  using OutputError::OutputError;
};

}  // namespace heddle
