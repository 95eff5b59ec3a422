// A NIC's timers: a binary heap of (time, sender). A sender has at most one entry, which is never too late; its actual
// condition is checked when the entry fires.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

HEDDLE_FN bool sooner(const Timer& a, const Timer& b) {
  return a.due_ps < b.due_ps || (a.due_ps == b.due_ps && a.sender < b.sender);
}

/// Puts `timer` at the free place i or above it in the heap.
HEDDLE_FN void sift_up(Timer* heap, u32 i, Timer timer) {
  while (i > 0) {
    const u32 parent = (i - 1) / 2;
    if (!sooner(timer, heap[parent])) break;
    heap[i] = heap[parent];
    i = parent;
  }
  heap[i] = timer;
}

HEDDLE_FN void push_timer(Timer* heap, Nic& nic, Timer timer) {
  sift_up(heap, nic.timers++, timer);
  nic.timer_ps = heap[0].due_ps;
}

/// Makes the entry of `timer.sender` due earlier, by a search: rare (a rewind before the next message is posted).
HEDDLE_FN void hasten_timer(Timer* heap, Nic& nic, Timer timer) {
  for (u32 i = 0; i < nic.timers; ++i) {
    if (heap[i].sender != timer.sender) continue;
    sift_up(heap, i, timer);
    break;
  }
  nic.timer_ps = heap[0].due_ps;
}

HEDDLE_FN Timer pop_timer(Timer* heap, Nic& nic) {
  const Timer top = heap[0];
  const u32 count = --nic.timers;
  const Timer last = heap[count];
  u32 i = 0;
  for (;;) {
    u32 child = 2 * i + 1;
    if (child >= count) break;
    if (child + 1 < count && sooner(heap[child + 1], heap[child])) ++child;
    if (!sooner(heap[child], last)) break;
    heap[i] = heap[child];
    i = child;
  }
  if (count > 0) heap[i] = last;
  nic.timer_ps = count > 0 ? heap[0].due_ps : kNever;
  return top;
}

}  // namespace heddle
