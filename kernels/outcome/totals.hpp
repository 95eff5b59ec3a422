// What was counted over a run, by name: whatever prints, stores or reads it goes through this one list.
#pragma once

#include <vector>

#include "kernels/outcome/outcome.hpp"

namespace heddle {

/// Calls visit(name, sum) for every sum of Totals, in the order in which reports show them. `totals` may be const; the
/// sums are passed by reference. The names are those of the result file's attributes.
template <class AnyTotals, class Visit>
void for_each_sum(AnyTotals& totals, Visit&& visit) {
  visit("packet_hops", totals.packet_hops);
  visit("data_packets_received", totals.data_packets_received);
  visit("data_packets_out_of_order", totals.data_packets_out_of_order);
  visit("data_packets_duplicate", totals.data_packets_duplicate);
  visit("flowlets", totals.flowlets);
  visit("flowlet_collisions", totals.flowlet_collisions);
  visit("path_changes", totals.path_changes);
  visit("ecn_marks", totals.marks);
  visit("pfc_pauses", totals.pauses);
  visit("pfc_resumes", totals.resumes);
  visit("cnps", totals.cnps);
  visit("retransmits", totals.retransmits);
  visit("timeouts", totals.timeouts);
  visit("drops_class_limit", totals.drops[static_cast<u32>(DropCause::class_limit)]);
  visit("drops_headroom_overrun", totals.drops[static_cast<u32>(DropCause::headroom_overrun)]);
  visit("drops_pool_overflow", totals.drops[static_cast<u32>(DropCause::pool_overflow)]);
  visit("drops_watchdog", totals.drops[static_cast<u32>(DropCause::watchdog)]);
  visit("drops_link_down", totals.drops[static_cast<u32>(DropCause::link_down)]);
  visit("drops_corrupted", totals.drops[static_cast<u32>(DropCause::corrupted)]);
  visit("drops_no_route", totals.drops[static_cast<u32>(DropCause::no_route)]);
  visit("detours", totals.detours);
}

/// Every member of Totals: the sums, then what is a largest value.
template <class AnyTotals, class Visit>
void for_each_total(AnyTotals& totals, Visit&& visit) {
  for_each_sum(totals, visit);
  visit("largest_reordering_packets", totals.largest_reordering_packets);
}

/// The same of two: visit(name, a's, b's).
template <class Visit>
void for_each_total_of_two(const Totals& a, const Totals& b, Visit&& visit) {
  std::vector<u64> of_a;
  for_each_total(a, [&](const char*, u64 total) { of_a.push_back(total); });
  auto next = of_a.begin();
  for_each_total(b, [&](const char* name, u64 total) { visit(name, *next++, total); });
}

}  // namespace heddle
