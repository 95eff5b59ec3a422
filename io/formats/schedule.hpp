// In which order the ranks of a trace do what they do.
#pragma once

#include <functional>
#include <string>

#include "io/formats/trace.hpp"

namespace heddle {

/// Where an operation of a rank stands in its file, as messages begin: "path:line:column".
using WhereOfOp = std::function<std::string(u32 rank, u32 op)>;

/// Which recv of a communicator takes which send: the next one of the same size, or the next one, whose size becomes
/// that of the send.
enum class SendMatching : u8 { by_size, in_order };

/// How sends and recvs meet.
struct SendRules {
  SendMatching matching = SendMatching::in_order;
  bool alone = false;          // no send waits for its recv: it is done when its data is there
  u64 eager_bytes = 0;         // sends of at most so many wait for nobody, and are done when they are posted
  std::string eager_key = {};  // what a user can set that to, for messages; empty: nothing
};

/// Puts the operations of all ranks, each of which has a program of its own, into the order of a schedule in which
/// everything begins as soon as it can. A computation begins when what it waits for is done and its processor is free,
/// the one that could begin first before others; a send or a collective when all of its ranks have come to one of the
/// same communicator, kind and (but for sends in order) size, and those of the communicator that met before are done. A
/// send that waits for nobody begins without its recv. It then takes 10 us and 20 ps a byte: the schedule gives the
/// order alone. Where two could begin at one instant, the file's order decides.
///
/// That order is one of all ranks together, and what waits for something stands behind it. So no stream of the replay
/// can keep up another one in a circle. Before, `after` may name any operation of the rank; afterwards as TraceOp says.
///
/// Returns how many recvs have taken a send of another size.
///
/// Throws InputError for operations that wait for each other in a circle, and for a rank of a communicator that does
/// something more often than another one.
u64 schedule(Trace& trace, const SendRules& rules, const WhereOfOp& where);

}  // namespace heddle
