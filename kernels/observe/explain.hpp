// Why a run ended early, in words and in the World's numbers.
#pragma once

#include <functional>
#include <string>

#include "kernels/outcome/failed_qp.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// The first to give up; of several at one instant, that of the lowest endpoint.
FailedQp first_failed_qp(const View& v);

/// How many packets there are when the memory for them is used up, and where most of them are. `parity` is that of the
/// next tick; `port_name` gives the name of an egress by its link's number in the World. The host's copy of the state
/// must be current, derived arrays too.
std::string explain_exhausted(const Model& model, u32 parity, const std::function<std::string(u32)>& port_name);

/// A GPU has no room for the queued packets of a checkpoint; both in pool entries.
std::string explain_too_many_packets(u64 needed, u64 capacity);

/// More events came in one tick than a GPU's event buffer holds.
std::string explain_full_events(u64 events, u64 capacity);

}  // namespace heddle
