#include "host/config/problems.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"

namespace heddle {

void Problems::add(const std::string& where, const std::string& message) {
  messages_.push_back(where + ": " + message);
}

void Problems::throw_if_any() const {
  constexpr size_t kMostShown = 20;
  if (messages_.empty()) return;
  std::string text;
  for (size_t i = 0; i < messages_.size() && i < kMostShown; ++i) text += (i == 0 ? "" : "\n") + messages_[i];
  if (messages_.size() > kMostShown) text += fmt::format("\n... and {} more problems", messages_.size() - kMostShown);
  throw ConfigError(text);
}

}  // namespace heddle
