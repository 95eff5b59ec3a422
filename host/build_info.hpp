// The identity of this program: what a result file must say about the build that wrote it.
#pragma once

namespace heddle {

/// Facts of the build; every text is a static string and never null.
struct BuildInfo {
  const char* version;        // MAJOR.MINOR.PATCH
  const char* git_commit;     // 40 hex digits, or "unknown" when built outside a git checkout
  bool git_dirty;             // tracked files differed from the commit when this was built
  const char* build_type;     // "release", "debug", with the sanitizers if any: "debug address,undefined"
  const char* compilers;      // "GNU 12.2.0, nvcc 13.0.88"
  const char* backends;       // "cpu" or "cpu,cuda"
  const char* architectures;  // "x86_64 -march=x86-64-v3, sm_90"
};

/// The build this program comes from (build_info.cpp.in, filled in by CMake at every build).
const BuildInfo& build_info();

}  // namespace heddle
