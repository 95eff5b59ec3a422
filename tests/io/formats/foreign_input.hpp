// Inputs of other projects as files, and what readers say of bad ones.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "io/error.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {

inline std::string file_of(const std::string& text) { return write_text(fresh_folder() + "/in.txt", text); }

/// The message for such a file, without the folder's name.
template <class Read>
std::string error_of(const std::string& text, const Read& read) {
  const std::string path = file_of(text);
  const std::string message = message_of<InputError>([&] { read(path); });
  EXPECT_EQ(message.rfind(path + ":", 0), 0u) << "the message does not start with the file: " << message;
  return message.size() > path.size() ? message.substr(path.size()) : message;
}

}  // namespace heddle::test
