// How long PFC pauses lasted, from the stream of events.
#pragma once

#include <unordered_map>

#include "io/results/histogram.hpp"
#include "io/results/series.hpp"
#include "kernels/base/words.hpp"
#include "kernels/outcome/event.hpp"

namespace heddle {

/// Pairs each RESUME with the PAUSE of the same (node, ingress port, class). A length is the time between the two
/// decisions, in picoseconds; it counts for the kind of link that was paused.
class PauseLengths {
 public:
  /// The fabric and the tiers must outlive it.
  PauseLengths(const Fabric& fabric, const LinkTiers& tiers) : fabric_(fabric), tiers_(tiers) {}

  /// Takes a pause or a resume, in order of time; a resume adds one value to the histogram [kind of link].
  void take(const Event& event, Histogram& lengths);

  /// Saves the pauses that have not ended, by account; restore() takes them back.
  void save(std::vector<u64>& words) const;
  void restore(WordSource& words);

  /// Pauses that have not ended.
  u64 unfinished() const { return since_ps_.size(); }

 private:
  const Fabric& fabric_;
  const LinkTiers& tiers_;
  std::unordered_map<u64, TimePs> since_ps_;  // node, port, class -> PAUSE decided
};

}  // namespace heddle
