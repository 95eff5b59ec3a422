// After the state was set from outside: everybody looks at it.
#pragma once

#include <algorithm>

#include "kernels/state/view.hpp"

namespace heddle {

/// Every node and every port looks at what it has to do at `now_ps`.
inline void wake_all(const View& v, TimePs now_ps) {
  std::fill(v.next_ps, v.next_ps + v.nodes, now_ps);
  std::fill(v.port_next_ps, v.port_next_ps + v.first_link[v.switches], now_ps);
  for (u32 n = 0; n < v.switches; ++n) {
    for (u32 port = 0; port < v.first_link[n + 1] - v.first_link[n]; ++port)
      v.port_active[v.first_port_word[n] + port / 64] |= u64{1} << (port % 64);
  }
}

}  // namespace heddle
