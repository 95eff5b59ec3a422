// `heddle import hpcc`: HPCC's config.txt as a configuration.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

struct HpccImport {
  std::string toml;                      // every value with the key that it comes from
  std::vector<std::string> notes;        // where HPCC's ns-3 computes something else than the configuration will
  std::vector<std::string> meaningless;  // lines of the file with keys that nothing here answers to
  u32 translated = 0;                    // keys
  std::vector<std::string> warnings;     // what has to be there before it can be run
  std::vector<std::pair<std::string, std::string>> inputs;  // key and path of the files that were read
};

/// What may be made simpler than HPCC has it, because it was asked for.
struct HpccImportOptions {
  bool constant_window = false;  // VAR_WIN's window stays at its largest
};

/// The end of the first line of every result; what --force of `heddle import` may replace has it.
inline constexpr std::string_view kHpccImportMark =
    "translated by `heddle import hpcc`: each value with its key there.";

/// Translates the file; relative names of inputs in the result start at `folder`, where the configuration will lie.
/// Reads TOPOLOGY_FILE and FLOW_FILE where they are there: which link speeds need ECN thresholds, and how much of
/// either file HPCC would read. Every key is translated, named as meaningless here, or refused. Throws InputError with
/// all that is wrong, by line, or where the file cannot be read; whether the result loads is for the caller to see.
HpccImport import_hpcc_config(const std::string& path, const std::string& folder,
                              const HpccImportOptions& options = {});

}  // namespace heddle
