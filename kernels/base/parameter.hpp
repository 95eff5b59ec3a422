// Parameters, declared once beside the code that they control: validation, --set, the reference page and the resolved
// configuration all come from these tables. The default is the field's own initialiser.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// The kind of a number, which decides the units that a configuration may write it in ("0.5 us", "64 MiB", "400 Gb/s").
enum class Quantity : u8 {
  none,         // plain number, flag or word
  time_ps,      // ps ns us ms s
  bytes,        // B KB MB GB KiB MiB GiB
  bits_per_s,   // Mb/s Gb/s Tb/s
  bytes_per_s,  // MB/s GB/s TB/s
  ratio,        // plain real number (stored as double; the code that uses it converts it to fixed point)
};

/// One parameter of an options struct.
template <class Options>
struct Parameter {
  using Field = std::variant<bool Options::*, u32 Options::*, u64 Options::*, i64 Options::*, double Options::*,
                             std::string Options::*, std::vector<u64> Options::*, std::vector<std::string> Options::*>;
  std::string_view key;  // as in the configuration file, inside its section
  Field field;
  Quantity quantity = Quantity::none;
  double min = 0, max = 9.2e18;   // inclusive, in the field's unit; numbers only
  std::string_view choices = {};  // words only: "ecmp|e_ecmp|explicit"
  std::string_view help;          // one line
  std::string_view source;        // where the default comes from
  std::string_view only_with =
      {};  // "kind=star|hpcc": means something only when that word, flag or fact of its section is one of these
};

}  // namespace heddle
