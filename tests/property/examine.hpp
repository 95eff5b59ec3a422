// From a world to a report: checks it and, when it fails, makes it small and keeps it.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>

#include "tests/property/check.hpp"

namespace heddle::property {

/// The folder failed_worlds of the build tree that this program lies in.
std::filesystem::path default_failed_folder();

struct Examination {
  std::filesystem::path failed_folder = default_failed_folder();  // failing worlds are kept here
  std::chrono::seconds shrink_limit{60};                          // 0: failing worlds stay as they are
  std::chrono::seconds world_limit{
      60};  // of processor time: a world of the shrinking, or a suspect one, is ended after it
};

/// A failing world is kept as <name>.toml, its smallest form as <name>_small.toml, and all that is known of it, the
/// text of the result, as <name>.txt. `suspect`: it ended the process that ran it before, so it runs in one of its own,
/// and adds nothing to `coverage`. Call it while no other thread runs.
Finding examine(const WorldCase& world_case, std::span<const u64> variants, const Examination& how,
                Coverage* coverage = nullptr, bool suspect = false);

}  // namespace heddle::property
