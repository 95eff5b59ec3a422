// What the topology files of HPCC's ns-3 and of SimAI have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/formats/plain.hpp"
#include "io/formats/text.hpp"

namespace heddle {

inline constexpr u64 kMaxFileNodes = 1u << 24;
inline constexpr u64 kMaxFileLinks = 1u << 28;

/// The ids of a line, each once; `what` is what they are of, "switch".
void read_ids(const TextFile& file, const TextLine& line, std::string_view what, u64 last_id, std::vector<u32>& ids);

/// `src dst rate delay error_rate`: rate in bps to Tbps, b/s to Tb/s, or bytes (GBps, GB/s), delay in ps, ns, us, ms or
/// s. Without a unit they are bit/s and seconds, as in ns-3; a rate below 100 Mb/s or a delay above 0.1 s is refused
/// so.
PlainLink read_link(const TextFile& file, const TextLine& line, u64 last_id);

/// Two nodes have one link: of several, ns-3's programs send over the last one alone.
void check_repeated(const TextFile& file, const std::vector<PlainLink>& links);

/// Every node that is not left out must be reachable from the first, else some flow could never finish.
void check_connected(const TextFile& file, const PlainTopology& topology);

/// "topology.txt:4:16: link 0 - 4 has error rate 0.5; ...": the first link of the file at `path` that loses packets at
/// random, which is not simulated; empty: there is none.
std::string lossy_link_of(const PlainTopology& imported, const std::string& path);

}  // namespace heddle
