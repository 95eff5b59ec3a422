#include "kernels/observe/invariants/updates.hpp"

namespace heddle {
namespace {

bool has_updates(const Reading& r, u32 node, u32 port) {
  const View& v = r.v;
  if (node < v.switches) {
    const u32 w = v.first_port_word[node] + port / 64;
    return (((v.port_updates[r.tick.parity][w] | v.port_published[w]) >> (port % 64)) & 1) != 0;
  }
  const u32 e = node - v.switches;
  return ((v.endpoint_updates[r.tick.parity][e / kEndpointsPerWord] >> (e % kEndpointsPerWord)) & 1) != 0;
}

const char* what_differs(const View& v, u32 link) {
  const u32 classes = v.settings.classes, incoming = v.egress[link].reverse;
  for (u32 c = 0; c < classes; ++c) {
    const Published &a = v.published[0][link * classes + c], &b = v.published[1][link * classes + c];
    if (a.ring.base != b.ring.base || a.ring.mask != b.ring.mask) return "where a ring lies";
    if (a.sent != b.sent) return "what it has sent";
    if (v.head[0][incoming * classes + c] != v.head[1][incoming * classes + c]) return "what it has taken";
  }
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const u32 a = incoming * v.settings.pfc_classes + p;
    if (v.pause_tail[0][a] != v.pause_tail[1][a]) return "when it pauses";
  }
  return nullptr;
}

}  // namespace

std::string check_updates(const Reading& r) {
  for (u32 node = 0; node < r.v.nodes; ++node) {
    for (u32 link = r.v.first_link[node]; link < r.v.first_link[node + 1]; ++link) {
      if (has_updates(r, node, link - r.v.first_link[node])) continue;
      const char* what = what_differs(r.v, link);
      if (what != nullptr) return r.at_port(link, std::string("it tells two tales of ") + what + ", and rests");
    }
  }
  return {};
}

}  // namespace heddle
