// Properties of a run that passes may assume. Passes are compiled twice: for plain runs, which are most, and for all.
#pragma once

#include "kernels/state/settings.hpp"

namespace heddle {

/// A plain run has control packets in class 0, data under PFC in class 1, and none of the other features below. A team
/// with `kPlain` serves only plain runs: then these functions are constant, and the compiler removes unused code
/// (savings: tests/bench/measured.md).
inline constexpr u32 kPlainClasses = 2, kPlainPfcClass = 1;

template <class Team>
HEDDLE_FN u32 classes_of(const Settings& s) {
  return Team::kPlain ? kPlainClasses : s.classes;
}
template <class Team>
HEDDLE_FN u32 pfc_classes_of(const Settings& s) {
  return Team::kPlain ? 1u : s.pfc_classes;
}
/// Number of class c among those with PFC, or kNone.
template <class Team>
HEDDLE_FN u32 pfc_index_of(const Settings& s, u32 c) {
  if constexpr (Team::kPlain) return c == kPlainPfcClass ? 0 : kNone;
  return s.pfc_index[c];
}
/// The most ports of a NIC.
template <class Team>
HEDDLE_FN u32 nic_ports(const Settings& s) {
  return Team::kPlain ? 1u : s.nic_ports;
}
/// The address of a NIC's port (MODEL.md, 2.1).
template <class Team>
HEDDLE_FN u32 address_of(const Settings& s, EndpointId endpoint, u32 port) {
  return Team::kPlain ? endpoint : endpoint * s.nic_ports + port;
}
template <class Team>
HEDDLE_FN bool links_fail(const Settings& s) {
  return !Team::kPlain && s.links_fail;
}
template <class Team>
HEDDLE_FN bool has_watchdog(const Settings& s) {
  return !Team::kPlain && s.watchdog_ps != 0;
}
template <class Team>
HEDDLE_FN bool keeps_route_state(const Settings& s) {
  return !Team::kPlain && s.keeps_route_state;
}
template <class Team>
HEDDLE_FN bool samples_queues(const Settings& s) {
  return !Team::kPlain && s.samples_queues;
}
template <class Team>
HEDDLE_FN bool marks_at_arrival(const Settings& s) {
  return !Team::kPlain && s.ecn_at_arrival;
}

template <class Team>
HEDDLE_FN bool takes_detours(const Settings& s) {
  return !Team::kPlain && s.detour_class != 0;
}
template <class Team>
HEDDLE_FN bool any_tcp(const Settings& s) {
  return !Team::kPlain && s.any_tcp;
}

/// Whether programs post messages.
template <class Team>
HEDDLE_FN bool any_batches(const Settings& s) {
  return !Team::kPlain && s.any_batches;
}

/// Whether several classes share, by weight, the bandwidth left by strict classes.
template <class Team>
HEDDLE_FN bool has_weights(const Settings& s) {
  return !Team::kPlain && s.weighted_classes > 1;
}
template <class Team>
HEDDLE_FN bool slow_nics(const Settings& s) {
  return !Team::kPlain && s.slow_nics;
}

inline bool is_plain_run(const Settings& s) {
  return s.classes == kPlainClasses && s.pfc_classes == 1 && s.pfc_class[0] == kPlainPfcClass && !s.slow_nics &&
         s.nic_ports == 1 && !s.links_fail && s.watchdog_ps == 0 && !s.keeps_route_state && !s.samples_queues &&
         s.detour_class == 0 && !s.ecn_at_arrival && !s.any_tcp && !s.any_batches;
}

}  // namespace heddle
