// htsim puts ACKs into the queues of data; here they pass data in a strict class. How much later would the last ACK of
// each flow have come, had it waited where it went? Read off the departures of data.
#pragma once

#include "tests/validation/replay.hpp"

namespace heddle::validation {

/// Flow completion times of a replay whose last ACKs queue behind data: from the receipt of the last packet, hop by hop
/// along the ACK's path, it leaves each switch after the data that was in the egress queue when it came. Other ACKs in
/// these queues (1.5 % of the bytes) are left out. For runs of full packets only. Throws std::runtime_error as replay().
Replay replay_with_queued_acks(const PeerCase& run, const Sampling& sampling);

}  // namespace heddle::validation
