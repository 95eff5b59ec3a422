#include "io/problems.hpp"

#include <fmt/format.h>

namespace heddle {

void Problems::add(const std::string& where, const std::string& message) {
  messages_.push_back(where + ": " + message);
}

std::string Problems::text() const {
  constexpr size_t kMaxShown = 20;
  std::string text;
  for (size_t i = 0; i < messages_.size() && i < kMaxShown; ++i) text += (i == 0 ? "" : "\n") + messages_[i];
  if (messages_.size() > kMaxShown) text += fmt::format("\n... and {} more problems", messages_.size() - kMaxShown);
  return text;
}

}  // namespace heddle
