// Whether what coarse packets say of their error holds: the same world with packets of one MTU tells.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/results/estimates.hpp"
#include "kernels/world/world.hpp"

namespace heddle::property {

/// A time with its estimate.
struct Calibrated {
  TimeEstimate estimate;
  TimePs truth_ps = 0;

  TimePs error_ps() const {
    return truth_ps > estimate.time_ps ? truth_ps - estimate.time_ps : estimate.time_ps - truth_ps;
  }
  bool covered() const { return error_ps() <= estimate.error_ps; }
};

struct CalibratedWorld {
  u32 mtus_of_packet = 0;  // 0: coarse packets are refused, `refusal` says why
  std::string refusal;
  u64 packet_hops = 0, coarse_hops = 0;  // of one MTU; of both coarse runs together
  u64 pauses = 0;
  std::vector<Calibrated> times;
};

/// `mtus`: of a packet; 0: as many as are allowed.
CalibratedWorld calibrate(const World& world, u32 mtus);

/// Times of many worlds, by what they are of.
class Calibration {
 public:
  void add(const CalibratedWorld& world);
  /// A line for each kind of time: how many, how many are within their estimate, how much wider estimates are than
  /// errors.
  std::string text() const;
  u64 worlds() const { return worlds_; }
  double covered_share() const;  // of all times, each kind of each world counting as one

 private:
  struct Kind {
    u64 times = 0, covered = 0;
    double shares = 0;  // sum over worlds of the share that is covered
    u64 worlds = 0;
    double worst = 0;  // error, as a part of the truth
    std::vector<double> errors, wider;
  };
  std::array<Kind, 4> kinds_;
  u64 worlds_ = 0, refused_ = 0, hops_ = 0, coarse_hops_ = 0;
};

}  // namespace heddle::property
