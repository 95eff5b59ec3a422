// Line-oriented text with errors that name file, line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/error.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// A word of a line.
struct Field {
  std::string_view text;
  u32 line = 0, column = 0;  // from 1
};

/// A line that is not blank.
struct TextLine {
  std::vector<Field> fields;
  std::string_view text;  // without line end and surrounding blanks
  u32 number = 0;         // from 1
};

/// A whole text file, taken apart into lines and words as they are asked for: the words of a million lines would take
/// ten times what the file does. Blank lines are skipped, CR before LF is dropped, and so is a byte order mark at the
/// start.
class TextFile {
 public:
  /// Reads the file; words are separated by blanks and by `separators`. Throws InputError.
  explicit TextFile(std::string path, std::string_view separators = {});
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string& path() const { return path_; }
  bool at_end() const { return at_end_; }
  const TextLine& peek() const { return next_; }
  /// The next line. `what` says what was expected there, for the error when the file ends.
  TextLine take(std::string_view what);
  /// The first line of a CSV file, which must be `columns`.
  void take_header(std::string_view columns);
  u32 last_line() const { return last_line_; }
  u64 bytes() const { return content_.size(); }
  /// Lets go of the text, and with it of all lines and words that were taken: nothing more is read.
  void forget();

  /// Throws InputError "path:line:column: problem (why) suggestion".
  [[noreturn]] void fail(const Field& at, std::string_view problem) const;
  [[noreturn]] void fail(u32 line, u32 column, std::string_view problem) const;

  /// A whole number in [min, max]; `name` and `unit` say which column this is.
  u64 number(const Field& field, std::string_view name, u64 min, u64 max, std::string_view unit = "") const;
  /// Refuses a line with another number of words than `names` has.
  void expect_fields(const TextLine& line, std::string_view names, size_t count) const;

 private:
  void advance();

  std::string path_, content_, separators_;
  std::string_view rest_;  // behind the next line
  u32 number_ = 0;         // of the next line
  u32 last_line_ = 0;      // the last one that is not blank
  TextLine next_;
  bool at_end_ = false;
};

/// Why a decimal number could not be read.
enum class DecimalError : u8 { none, malformed, too_fine, too_large };

/// A decimal text such as "2.000001" or "1e-6" times 10^exponent, exactly. Integers all the way: no digit is lost.
struct Decimal {
  u64 value = 0;
  DecimalError error = DecimalError::none;
};
Decimal parse_decimal(std::string_view text, int exponent);

}  // namespace heddle
