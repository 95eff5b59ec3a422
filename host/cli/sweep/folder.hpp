// The folder that `heddle sweep` wrote, read back: its runs, their values of every axis, and their progress.
#pragma once

#include <string>
#include <vector>

namespace heddle {

enum class SweepRunState {
  ended,    // the result file exists, whatever its status
  saved,    // .part and a checkpoint: it can be resumed
  partial,  // .part alone: it is running, or was killed
  missing,  // no file: never started, or refused
};

/// Paths are relative to the folder as it was named, so a folder may be moved or copied.
struct SweepEntry {
  std::string name;                                // "07", from 07.toml
  std::vector<std::string> keys, values;           // keys of the axes, and their values in axes.csv
  std::string config_path, result_path, log_path;  // sweep --run writes the log
  SweepRunState state = SweepRunState::missing;
};

struct SweepFolder {
  std::vector<std::string> keys;  // keys of the axes
  std::vector<SweepEntry> runs;   // as in runs.txt
};

/// Reads runs.txt and axes.csv, also with the line ends of Windows, and checks which files exist. Throws InputError
/// when the folder is none of a sweep, or the two files do not name the same runs. The values in axes.csv are not
/// compared with the configurations here (labels.hpp).
SweepFolder read_sweep_folder(const std::string& folder);

/// The rows of a CSV file (RFC 4180: fields in quotes may hold commas, quotes twice, and line ends; lines end in LF or
/// CRLF).
std::vector<std::vector<std::string>> csv_rows(const std::string& text);

}  // namespace heddle
