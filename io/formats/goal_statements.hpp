// GOAL text as statements: without its comments, in words that need no blanks between them.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "io/formats/text.hpp"

namespace heddle {

/// A statement is what stands on a line; `{` ends one, and `}` is one. `:`, `{` and `}` are words of their own.
/// Comments are as LogGOPSim's: from // to the end of the line, or from /* to */.
class GoalStatements {
 public:
  using Words = std::vector<Field>;

  explicit GoalStatements(TextFile& file) : file_(file) {}

  bool at_end();
  /// The next statement. `what` says what was expected there, for the error when the file ends.
  Words take(std::string_view what);
  /// Refuses a statement with another number of words than `names` has.
  void expect(const Words& words, std::string_view names, size_t count) const;

 private:
  void split(const TextLine& line);
  /// Adds the word at the start of `rest`, or enters a comment. Returns how many characters that took.
  size_t take_word(std::string_view rest, const Field& field, Words& words);
  void end_statement(Words& words);

  TextFile& file_;
  std::deque<Words> ready_;
  bool in_comment_ = false, line_ends_ = false;  // line_ends_: the rest of this line is a comment
  Field comment_;                                // where it began
};

}  // namespace heddle
