// The sending side of a directed link: busy until the last bit is out, paused per class, serving classes in turn,
// sometimes down.
#pragma once

#include <array>

#include "tests/oracle/class_scheduler.hpp"
#include "tests/oracle/simulation.hpp"

namespace heddle::oracle {

class Transmitter {
 public:
  Transmitter(Simulation& sim, LinkId link)
      : scheduler(sim.world.fabric), sim_(sim), link_(link), state_(nominal_state(sim.world.fabric.links[link])) {}

  LinkId link() const { return link_; }
  /// A pause at p forbids starts at s >= p, its end at p allows them; a packet being sent is never interrupted.
  void set_paused(u32 cls, bool paused, TimePs t) {
    if (paused && !paused_[cls]) {
      paused_since_ps_[cls] = t;
      sim_.links.pause_takes_effect(link_, cls, t);
    }
    if (!paused && paused_[cls]) sim_.links.pause_ends(link_, cls, t);
    paused_[cls] = paused;
  }
  TimePs paused_since_ps(u32 cls) const { return paused_since_ps_[cls]; }
  bool paused(u32 cls) const { return paused_[cls]; }
  bool up() const { return state_.up(); }
  bool idle(TimePs t) const { return up() && free_at_ps_ <= t; }
  /// Takes the link's change at `t`, if there is one. Returns true when the link goes down, which ends all its pauses.
  bool take_change(TimePs t);
  u32 ps_per_byte_q16() const { return state_.ps_per_byte_q16; }
  /// Returns the end of the packet that is being sent at `t`, or `t`. Called before the starts at `t`.
  TimePs end_of_current(TimePs t) const { return free_at_ps_ > t ? free_at_ps_ : t; }

  /// Starts the packet at `t`: MODEL.md 5.1, store and forward.
  void send(const Packet& packet, TimePs t);

  ClassScheduler scheduler;

 private:
  Simulation& sim_;
  LinkId link_;
  LinkState state_;
  TimePs free_at_ps_ = 0;
  std::array<bool, kMaxClasses> paused_{};
  std::array<TimePs, kMaxClasses> paused_since_ps_{};
};

}  // namespace heddle::oracle
