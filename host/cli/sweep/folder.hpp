// The folder that `heddle sweep` wrote, read back: its runs, what each has of every axis, and how far each is.
#pragma once

#include <string>
#include <vector>

namespace heddle {

enum class SweepRunState {
  ended,    // the result file is there, whatever its status
  saved,    // .part and a checkpoint: it can go on
  partial,  // .part alone: it is running, or was killed
  missing,  // nothing: never started, or refused
};

/// Paths are within the folder as it was named, so a folder may be moved or copied.
struct SweepEntry {
  std::string name;                                // "07": of 07.toml
  std::vector<std::string> keys, values;           // of the axes, as axes.csv says it
  std::string config_path, result_path, log_path;  // the log is written by sweep --run
  SweepRunState state = SweepRunState::missing;
};

struct SweepFolder {
  std::vector<std::string> keys;  // of the axes
  std::vector<SweepEntry> runs;   // as in runs.txt
};

/// Reads runs.txt and axes.csv, also with the line ends of Windows, and looks which files are there. Throws InputError
/// when the folder is none of a sweep, or the two files do not name the same runs. What axes.csv says of a run is not
/// held against its configuration here (sweep_labels.hpp).
SweepFolder read_sweep_folder(const std::string& folder);

/// The rows of a CSV file (RFC 4180: fields in quotes may hold commas, quotes twice, and line ends; lines end in LF or
/// CRLF).
std::vector<std::vector<std::string>> csv_rows(const std::string& text);

}  // namespace heddle
