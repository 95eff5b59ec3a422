// Names of files in commands that somebody copies into a shell.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The text as one word of a shell: as it is where a shell would leave it alone, else in quotes; with control
/// characters, as $'a\nb', which bash, zsh and ksh know.
std::string shell_word(std::string_view text);

}  // namespace heddle
