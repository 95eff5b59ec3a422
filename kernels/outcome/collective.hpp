// What a run says of a collective, and of an iteration of a program: their ranks add it up with minima and maxima.
#pragma once

#include "kernels/outcome/columns.hpp"
#include "kernels/world/program.hpp"

namespace heddle {

struct CollectiveOutcome {
  TimePs first_enter_ps = -1, last_enter_ps = -1;
  TimePs first_finish_ps = -1, last_finish_ps = -1;
  u32 ranks_finished = 0;
  bool operator==(const CollectiveOutcome&) const = default;

  static constexpr auto columns() {
    using enum Join;
    using C = CollectiveOutcome;
    return std::tuple{
        Column{"start_ps", "ps", "first rank enters, -1 never", first, &C::first_enter_ps},
        Column{"last_enter_ps", "ps", "last rank enters, -1 never", most, &C::last_enter_ps},
        Column{"first_rank_ps", "ps", "first rank finishes, -1 never", first, &C::first_finish_ps},
        Column{"last_finish_ps", "ps", nullptr, most, &C::last_finish_ps},
        Column{"ranks_finished", "1", "ranks that finished", sum, &C::ranks_finished},
    };
  }
};

/// An iteration of a task (MODEL.md, 9.12): when its GPUs began and ended it, and how much time they computed and stood
/// still for communication.
struct IterationOutcome {
  TimePs first_begin_ps = -1, last_begin_ps = -1;
  TimePs first_end_ps = -1, last_end_ps = -1;
  u32 gpus_ended = 0;
  // Of the GPUs that have ended it: sums, and the most of any.
  u64 compute_ps = 0;
  TimePs max_compute_ps = 0;
  u64 waited_ps[kGroups] = {};
  TimePs max_waited_ps[kGroups] = {};
  bool operator==(const IterationOutcome&) const = default;

  static constexpr auto columns() {
    using enum Join;
    using I = IterationOutcome;
    return std::tuple{
        Column{"begin_ps", "ps", "first GPU begins, -1 never", first, &I::first_begin_ps},
        Column{"last_begin_ps", "ps", "last GPU begins, -1 never", most, &I::last_begin_ps},
        Column{"first_end_ps", "ps", "first GPU ends, -1 never", first, &I::first_end_ps},
        Column{"last_end_ps", "ps", nullptr, most, &I::last_end_ps},
        Column{"gpus_ended", "1", "GPUs that have ended it", sum, &I::gpus_ended},
        Column{"compute_ps", "ps", nullptr, sum, &I::compute_ps},
        Column{"most_compute_ps", "ps", "the most of any GPU", most, &I::max_compute_ps},
        Column{"waited_ps", "ps", nullptr, sum, &I::waited_ps},
        Column{"most_waited_ps", "ps", nullptr, most, &I::max_waited_ps},
    };
  }
};
static_assert(lists_all<CollectiveOutcome>() && lists_all<IterationOutcome>());

}  // namespace heddle
