// Whether anything is left in the fabric.
#pragma once

#include "kernels/fabric/pause.hpp"

namespace heddle {

/// Whether a link, by its local number, has packets waiting or in flight, bytes in its account, or a pause in force or
/// in flight. (Accounts of slow NICs hold packets that have left their wires.) `parity` is that of the next tick.
struct LinkIsAtWork {
  const View* view;
  u32 parity;

  HEDDLE_FN bool operator()(u32 link) const {
    const View& v = *view;
    for (u32 q = link * v.settings.classes; q < (link + 1) * v.settings.classes; ++q) {
      if (v.head[parity][q] != v.queue[q].tail) return true;
    }
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
      const Account& account = v.account[link * v.settings.pfc_classes + p];
      if (account.pausing || account.occupancy_bytes != 0) return true;
      if (!PauseTimeline(v, link, p, parity).idle()) return true;
    }
    return false;
  }
};

}  // namespace heddle
