#include "io/run_identity.hpp"

#include <fmt/format.h>

namespace heddle {

std::string difference(const RunIdentity& theirs, const RunIdentity& ours) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
  if (theirs.software_version != ours.software_version) {
    add(fmt::format(
        "it was written by version {}, this is version {}, and a run goes on only with the version that began it",
        theirs.software_version, ours.software_version));
  }
  const auto compare = [&](const char* what, u64 their_hash, u64 our_hash) {
    if (their_hash != our_hash)
      add(fmt::format("the {} has changed since (hash {:016x}, now {:016x})", what, their_hash, our_hash));
  };
  compare("configuration", theirs.config_hash, ours.config_hash);
  compare("topology", theirs.topology_hash, ours.topology_hash);
  compare("workload (messages, collectives)", theirs.workload_hash, ours.workload_hash);
  return text;
}

}  // namespace heddle
