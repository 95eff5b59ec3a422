// From a world to a report: checks the world and, when it fails, makes it small and keeps it.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>

#include "tests/property/check.hpp"

namespace heddle::property {

/// The folder failed_worlds of the build tree that contains this program.
std::filesystem::path default_failed_folder();

struct Examination {
  std::filesystem::path failed_folder = default_failed_folder();  // failing worlds are kept here
  std::chrono::seconds shrink_limit{60};                          // 0: failing worlds are not shrunk
  std::chrono::seconds world_limit{60};  // limit of processor time for a world while shrinking, and for a suspect one
};

/// Keeps a failing world as <name>.toml, its smallest form as <name>_small.toml, and the report, which is the text of
/// the result, as <name>.txt. `suspect`: the world ended the process that ran it before, so it runs in a process of its
/// own, and adds nothing to `coverage`. Call it while no other thread runs.
Finding examine(const WorldCase& world_case, std::span<const u64> variants, const Examination& how,
                Coverage* coverage = nullptr, bool suspect = false);

}  // namespace heddle::property
