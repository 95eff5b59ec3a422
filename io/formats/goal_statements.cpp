#include "io/formats/goal_statements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

bool GoalStatements::at_end() {
  while (ready_.empty() && !file_.at_end()) split(file_.take(""));
  if (ready_.empty() && in_comment_) file_.fail(comment_, "this comment has no end; write */ behind it");
  return ready_.empty();
}

GoalStatements::Words GoalStatements::take(std::string_view what) {
  if (at_end()) file_.take(what);  // says where the file ends
  Words words = std::move(ready_.front());
  ready_.pop_front();
  return words;
}

void GoalStatements::expect(const Words& words, std::string_view names, size_t count) const {
  if (words.size() == count) return;
  const Field& last = words.back();
  const u32 behind = last.column + static_cast<u32>(last.text.size());
  file_.fail(last.line, words.size() > count ? words[count].column : behind,
             fmt::format("{} words where {} are expected: {}", words.size(), count, names));
}

void GoalStatements::split(const TextLine& line) {
  Words words;
  line_ends_ = false;
  for (const Field& field : line.fields) {
    for (size_t at = 0; at < field.text.size() && !line_ends_;) {
      const std::string_view rest = field.text.substr(at);
      if (in_comment_) {
        const size_t end = rest.find("*/");
        in_comment_ = end == rest.npos;
        at += in_comment_ ? rest.size() : end + 2;
      } else {
        at += take_word(rest, {rest, field.line, field.column + static_cast<u32>(at)}, words);
      }
    }
  }
  end_statement(words);
}

size_t GoalStatements::take_word(std::string_view rest, const Field& field, Words& words) {
  if (rest.starts_with("//")) {
    line_ends_ = true;
    return rest.size();
  }
  if (rest.starts_with("/*")) {
    in_comment_ = true;
    comment_ = field;
    return 2;
  }
  size_t end = std::min(rest.find_first_of(":{}"), rest.size());
  for (const std::string_view comment : {"//", "/*"}) end = std::min(end, rest.find(comment));
  end = std::max<size_t>(end, 1);
  const bool closes = rest[0] == '}';
  if (closes) end_statement(words);
  words.push_back({rest.substr(0, end), field.line, field.column});
  if (closes || rest[0] == '{') end_statement(words);
  return end;
}

void GoalStatements::end_statement(Words& words) {
  if (!words.empty()) ready_.push_back(std::move(words));
  words.clear();
}

}  // namespace heddle
