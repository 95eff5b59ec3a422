// Compares engine and oracle on one world.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/property/compare.hpp"
#include "tests/property/coverage.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {

enum class Verdict : u8 {
  equal = 0,
  refused = 1,   // no World was built: a defect of the generator, or of the given configuration
  differs = 2,   // engine and oracle disagree
  threw = 3,     // engine or oracle threw
  crashed = 4,   // the process died; only seen from another process
  too_long = 5,  // the run did not end; only seen from another process
};
const char* name_of(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::equal;
  u64 variant = 0;   // index of the failing variant
  std::string text;  // description of the failure; empty when equal
};

/// Returns the plain variant and one more in turn, so that all are tested equally often.
std::vector<u64> variants_of_seed(u64 seed);
std::vector<u64> all_variants();
/// Returns the plain variant and those that are saved and restarted.
std::vector<u64> restarting_variants();

/// Runs the oracle and the engine in each variant (indices of variant()), until one fails. Adds the oracle's counts to
/// `coverage`, if given. Throws nothing that a World can cause.
Finding check(const World& world, std::span<const u64> variants, Coverage* coverage = nullptr);
Finding check(const WorldCase& world_case, std::span<const u64> variants, Coverage* coverage = nullptr);

}  // namespace heddle::property
