#include "tests/property/check.hpp"

#include <array>
#include <exception>
#include <numeric>
#include <optional>

#include "host/scenario/controller/measured.hpp"
#include "tests/property/measuring.hpp"

namespace heddle::property {

const char* name_of(Verdict verdict) {
  constexpr std::array kNames = {"equal", "refused", "differs", "threw", "crashed", "too_long"};
  return kNames[static_cast<u32>(verdict)];
}

std::vector<u64> variants_of_seed(u64 seed) { return {0, 1 + seed % (kVariants - 1)}; }

std::vector<u64> all_variants() {
  std::vector<u64> variants(kVariants);
  std::iota(variants.begin(), variants.end(), 0);
  return variants;
}

std::vector<u64> restarting_variants() {
  std::vector<u64> variants = {0};
  for (u64 index = 1; index < kVariants; ++index) {
    if (variant(index).legs.size() > 1) variants.push_back(index);
  }
  return variants;
}

Finding check(const World& world, std::span<const u64> variants, Coverage* coverage) {
  Finding finding;
  finding.variant = variants.empty() ? 0 : variants.front();
  try {
    const bool measured = demands_are_measured(world);
    std::optional<World> told;
    if (measured) told = told_beforehand(world);
    Comparison comparison(told ? *told : world);
    if (coverage != nullptr) coverage->add(comparison.oracle());
    for (u64 index : variants) {
      finding.variant = index;
      finding.text = comparison.check(variant(index));
      if (finding.text.empty()) continue;
      finding.verdict = Verdict::differs;
      break;
    }
    if (measured && finding.verdict == Verdict::equal) {
      finding.text = difference_of_measuring(world, *told);
      if (!finding.text.empty()) finding.verdict = Verdict::differs;
    }
  } catch (const std::exception& error) {
    finding.verdict = Verdict::threw;
    finding.text = variant(finding.variant).name + ": threw: " + error.what();
  }
  return finding;
}

Finding check(const WorldCase& world_case, std::span<const u64> variants, Coverage* coverage) {
  std::optional<World> world;
  try {
    world = build(world_case);
  } catch (const std::exception& error) {
    return {Verdict::refused, 0, std::string("no world comes of it: ") + error.what()};
  }
  return check(*world, variants, coverage);
}

}  // namespace heddle::property
