// Reports one event: into the digest, the sums, and the records that were asked for.
#pragma once

#include "kernels/state.hpp"

namespace heddle {

template <class Team>
HEDDLE_FN void emit(const Team& team, const View& v, const Event& event) {
  Tally& tally = team.tally();
  team.add(tally.count[static_cast<u32>(event.kind)], u64{1});
  if (event.kind != EventKind::depart || v.settings.trace) team.add(tally.digest, digest_of(event));
  if (event.kind == EventKind::drop) team.add(tally.drops[event.detail], u64{1});
  if ((v.settings.recorded_kinds >> static_cast<u32>(event.kind)) & 1) team.record(event);
}

}  // namespace heddle
