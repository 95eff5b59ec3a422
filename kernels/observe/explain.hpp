// Explains why a run ended early, in the World's names and numbers.
#pragma once

#include <functional>
#include <string>

#include "kernels/outcome/failed_qp.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// The queue pair that failed first; among several at one instant, that of the lowest endpoint.
FailedQp first_failed_qp(const View& v);

/// Explains the memory for packets being used up: how many packets there are, and the egress with most of them.
/// `parity` is that of the next tick; `port_name` gives the name of an egress by its link's number in the World. The
/// host's copy of the state must be current, including derived arrays.
std::string explain_exhausted(const Model& model, u32 parity, const std::function<std::string(u32)>& port_name);

/// Explains that a GPU has no room for the queued packets of a checkpoint; both arguments are in pool entries.
std::string explain_too_many_packets(u64 needed, u64 capacity);

/// Explains that one tick caused more events than a GPU's event buffer holds.
std::string explain_full_events(u64 events, u64 capacity);

}  // namespace heddle
