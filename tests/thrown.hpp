// What a call throws.
#pragma once

#include <string>

namespace heddle::test {

/// The message of the exception that `call` throws; "" when it throws none.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace heddle::test
