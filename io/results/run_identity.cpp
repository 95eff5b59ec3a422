#include "io/results/run_identity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/results/config_diff.hpp"

namespace heddle {
namespace {

std::string changed_keys_of(const RunIdentity& theirs, const RunIdentity& ours) {
  if (theirs.inputs.config_toml.empty() || ours.inputs.config_toml.empty()) return "";
  return changed_keys(theirs.inputs.config_toml, ours.inputs.config_toml, decides_result);
}

std::string changed_files_of(const RunInputs& theirs, const RunInputs& ours) {
  std::string text;
  for (const NamedFile& file : ours.files) {
    const auto has_changed = [&](const NamedFile& other) { return other.key == file.key && other.hash != file.hash; };
    if (std::any_of(theirs.files.begin(), theirs.files.end(), has_changed))
      text += (text.empty() ? "" : ", ") + file.key;
  }
  return text;
}

}  // namespace

std::string difference(const RunIdentity& theirs, const RunIdentity& ours) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
  const auto add_hashes = [&](const char* what, u64 their_hash, u64 our_hash) {
    if (their_hash != our_hash)
      add(fmt::format("the {} has changed since (hash {:016x}, now {:016x})", what, their_hash, our_hash));
  };
  if (theirs.software_version != ours.software_version) {
    add(fmt::format(
        "it was written by version {}, this is version {}, and a run resumes only with the version that began it",
        theirs.software_version, ours.software_version));
  }
  const bool world = theirs.topology_hash != ours.topology_hash || theirs.workload_hash != ours.workload_hash;
  const bool config = theirs.config_hash != ours.config_hash;
  const std::string keys = config ? changed_keys_of(theirs, ours) : "";
  const std::string files = world ? changed_files_of(theirs.inputs, ours.inputs) : "";
  if (!keys.empty()) add("the configuration has changed since: " + keys);
  if (!files.empty()) add("what is in the input file has changed since: " + files);
  if (keys.empty()) add_hashes("configuration", theirs.config_hash, ours.config_hash);
  if (keys.empty() && files.empty()) {
    add_hashes("topology", theirs.topology_hash, ours.topology_hash);
    add_hashes("workload (messages, collectives)", theirs.workload_hash, ours.workload_hash);
  }
  return text;
}

}  // namespace heddle
