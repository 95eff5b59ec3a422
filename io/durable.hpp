// Writes that survive a crash of the machine.
#pragma once

#include <string>

namespace heddle {

/// The folder that a path lies in, "." for a bare name.
std::string folder_of(const std::string& path);

/// Whether something has that name: also a link that leads nowhere, and what cannot be looked at.
bool is_there(const std::string& path);

/// Makes an empty file that nobody has, beside `path`, for what is to take that name when it is whole. Returns its
/// name;
/// "": it cannot be made, and errno says why.
std::string new_file_beside(const std::string& path);

/// Waits until the file or folder is on the disk. Returns 0 or errno. A file system that cannot do it for what the path
/// names (some do not for folders) is no error.
int sync_to_disk(const std::string& path);

/// Gives a file that is written a new name, which takes the place of what had it: the file is on the disk before, the
/// change of name after. Whatever kills the program or the machine leaves under the new name either what was there or
/// the whole new file. Returns 0 or errno.
int rename_durably(const std::string& from, const std::string& to);

/// The same where nothing has that name yet: EEXIST when something has, which is left as it is. File systems that
/// cannot do both at once look first.
int rename_to_free_name(const std::string& from, const std::string& to);

}  // namespace heddle
