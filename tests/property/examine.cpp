#include "tests/property/examine.hpp"

#include <fmt/format.h>

#include <fstream>

#include "tests/property/sandbox.hpp"
#include "tests/property/shrink.hpp"

namespace heddle::property {
namespace {

namespace fs = std::filesystem;

/// Returns how a world ends in a child process. `expected`: the verdict that counts as its failure there.
Verdict verdict_in_child(const World& world, std::span<const u64> variants, Verdict expected,
                         std::chrono::seconds limit) {
  switch (ask_in_child([&] { return check(world, variants).verdict == expected; }, limit)) {
    case ChildEnd::returned_true:
      return expected;
    case ChildEnd::crashed:
      return Verdict::crashed;
    case ChildEnd::too_long:
      return Verdict::too_long;
    case ChildEnd::returned_false:
      break;
  }
  return Verdict::equal;
}

/// Examines a world that ended its process.
Finding check_suspect(const WorldCase& world_case, std::span<const u64> variants, const Examination& how) {
  const World world = build(world_case);  // the World was built before, so building it again does not fail
  for (u64 index : variants) {
    const u64 one[] = {index};
    const Verdict verdict = verdict_in_child(world, one, Verdict::differs, how.world_limit);
    if (verdict == Verdict::equal) continue;
    return {
        verdict, index,
        verdict == Verdict::too_long
            ? fmt::format("{}: did not end within {} s of processor time", variant(index).name, how.world_limit.count())
            : fmt::format("{}: the process that ran oracle and engine {}", variant(index).name, name_of(verdict))};
  }
  return {Verdict::crashed, variants.front(), "its process ended unexpectedly, but not when it was run once more"};
}

std::string how_to_run(const fs::path& file) { return "  heddle-property --config " + file.string() + "\n"; }

/// Makes the failing world small, keeps the small one, and returns the report about it.
std::string shrink_and_keep(const WorldCase& world_case, const Finding& finding, const Examination& how) {
  const u64 variants[] = {0, finding.variant};  // states are compared with those of the first variant
  const auto checked = std::span(variants).subspan(finding.variant == 0 ? 1 : 0);
  const auto still_fails = [&](const World& world) {
    const Verdict expected = finding.verdict == Verdict::crashed ? Verdict::differs : finding.verdict;
    return verdict_in_child(world, checked, expected, how.world_limit) == finding.verdict;
  };
  Shrunk shrunk = shrink(world_case, still_fails, how.shrink_limit);
  shrunk.smallest.name = world_case.name + "_small";
  const fs::path file = keep(shrunk.smallest, how.failed_folder);
  std::string text = fmt::format("shrunk by {} of {} reductions tried{}, kept as {}", shrunk.accepted, shrunk.tried,
                                 shrunk.time_ran_out ? " (time ran out: more may go)" : "", file.string());
  if (shrunk.smallest.twist) text += "; its tables are still twisted, as its first line says";
  text += "\n\n" + text_of(shrunk.smallest) + "\n";
  if (finding.verdict == Verdict::differs || finding.verdict == Verdict::threw) {
    text += "which, small, gives:\n" + check(shrunk.smallest, checked).text + "\n";
  }
  return text + "to run it again:\n" + how_to_run(file);
}

}  // namespace

fs::path default_failed_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "failed_worlds";
}

Finding examine(const WorldCase& world_case, std::span<const u64> variants, const Examination& how, Coverage* coverage,
                bool suspect) {
  Finding finding = suspect ? check_suspect(world_case, variants, how) : check(world_case, variants, coverage);
  if (finding.verdict == Verdict::equal) return finding;
  const fs::path file = keep(world_case, how.failed_folder);
  finding.text = fmt::format("{}: {}\n{}\nkept as {}; to run it again:\n{}", world_case.name, name_of(finding.verdict),
                             finding.text, file.string(), how_to_run(file));
  const bool can_shrink = finding.verdict != Verdict::refused && finding.verdict != Verdict::too_long;
  if (can_shrink && how.shrink_limit.count() > 0) finding.text += shrink_and_keep(world_case, finding, how);
  std::ofstream(how.failed_folder / (world_case.name + ".txt")) << finding.text;
  return finding;
}

}  // namespace heddle::property
