// Archives that see how the state moves, and move it on (restart/tags.hpp).
#pragma once

#include <vector>

#include "kernels/restart/tags.hpp"
#include "kernels/state/collective.hpp"

namespace heddle {

/// What is common to them: they keep no words for others, and load nothing.
struct Observing {
  static constexpr bool kLoads = false, kWrites = false, kKeepsWords = false;
};

/// The bits of a difference of two values of a field.
template <class T>
constexpr u64 bits_of_field = sizeof(T) == 8 ? ~u64{0} : (u64{1} << (sizeof(T) * 8)) - 1;

/// Notes every field as it is.
class NotingFields : public Observing {
 public:
  explicit NotingFields(std::vector<u64>& values) : values_(values) {}
  template <class... T>
  void operator()(T&&... fields) {
    (values_.push_back(static_cast<u64>(field_of(fields))), ...);
  }

 private:
  std::vector<u64>& values_;
};

/// Counts the fields.
class Counting : public Observing {
 public:
  template <class... T>
  void operator()(T&&... /*fields*/) {
    count_ += sizeof...(T);
  }
  u64 count() const { return count_; }

 private:
  u64 count_ = 0;
};

/// How far the fields move in a period.
struct Movement {
  std::vector<u64> values;  // at its start
  std::vector<u64> by;      // until its end; what is not compared moves as it may
};

/// Compares every field with what it was `period_ps` before. Whatever moves in another way than its motion allows, or
/// not as before, means that nothing repeats; then the movement says nothing.
class Comparing : public Observing {
 public:
  /// `again`: a second period is over, in which everything must have moved as in the first.
  Comparing(Movement& movement, TimePs period_ps, TimePs now_ps, bool again)
      : m_(movement), period_ps_(static_cast<u64>(period_ps)), now_ps_(now_ps), again_(again) {
    if (!again) m_.by.resize(m_.values.size());
  }

  template <class... T>
  void operator()(T&&... fields) {
    (look<motion_of<T>>(field_of(fields)), ...);
  }

  bool differs() const { return differs_; }
  /// All of it was compared.
  bool whole() const { return !differs_ && at_ == m_.values.size(); }
  u64 looked_at() const { return at_; }
  /// The first instant to come that does not move: until then it is far enough.
  TimePs first_fixed_ps() const { return first_fixed_ps_; }

 private:
  template <Motion motion, class T>
  void look(const T& field) {
    if (differs_) return;
    if (at_ == m_.values.size()) return fail();
    const u64 value = static_cast<u64>(field), before = m_.values[at_] + (again_ ? m_.by[at_] : 0);
    const u64 by = (value - before) & bits_of_field<T>;
    u64 moves = by;
    switch (motion) {
      case Motion::still:
        if (by != 0) return fail();
        break;
      case Motion::instant:
        if (by != 0 && by != period_ps_) return fail();
        if (by == 0) note_fixed(static_cast<TimePs>(value));
        break;
      case Motion::counter:
        break;
      case Motion::slice:
        if (by % kMaxSlots != 0) return fail();
        break;
      case Motion::bound:
        moves = static_cast<TimePs>(value) >= kNever ? 0 : period_ps_;
        break;
      case Motion::sample:
        moves = 0;
        break;
    }
    constexpr bool kIsCompared = motion != Motion::bound && motion != Motion::sample;
    if (kIsCompared && again_ && m_.by[at_] != by) return fail();
    m_.by[at_++] = moves;
  }
  void note_fixed(TimePs t) {
    if (t >= now_ps_ && t < first_fixed_ps_) first_fixed_ps_ = t;
  }
  void fail() { differs_ = true; }

  Movement& m_;
  const u64 period_ps_;
  const TimePs now_ps_;
  const bool again_;
  bool differs_ = false;
  u64 at_ = 0;
  TimePs first_fixed_ps_ = kNever;
};

/// Moves every field on, so many times as far as it has moved.
class Advancing : public Observing {
 public:
  static constexpr bool kWrites = true;
  Advancing(const std::vector<u64>& by, u64 times) : by_(by), times_(times) {}
  template <class... T>
  void operator()(T&&... fields) {
    (move(field_of(fields)), ...);
  }

 private:
  template <class T>
  void move(T& field) {
    const u64 by = by_[at_++] * times_;
    if (by != 0) field = static_cast<T>(static_cast<u64>(field) + by);
  }

  const std::vector<u64>& by_;
  const u64 times_;
  u64 at_ = 0;
};

}  // namespace heddle
