#include "tests/oracle/congestion/controls.hpp"

#include "tests/oracle/congestion/dcqcn.hpp"

namespace heddle::oracle {
namespace {

/// The oracle does not compile before each of these knows every control.
struct Maker {
  u64 line_bps;
  bool whole_nanoseconds;

  std::unique_ptr<Control> operator()(const NoControl&) const { return nullptr; }
  std::unique_ptr<Control> operator()(const DcqcnSettings& s) const {
    return dcqcn_control(s, line_bps, whole_nanoseconds);
  }
};

struct Validator {
  void operator()(const NoControl&) const {}
  void operator()(const DcqcnSettings& s) const { validate_dcqcn(s); }
};

struct CnpGap {
  TimePs operator()(const NoControl&) const { return kNever; }
  TimePs operator()(const DcqcnSettings& s) const { return s.cnp_gap_ps; }
};

}  // namespace

std::unique_ptr<Control> make_control(const Congestion& congestion, u64 line_bps) {
  return std::visit(Maker{line_bps, congestion.whole_nanoseconds}, congestion.control);
}

void validate_control(const Congestion& congestion) { std::visit(Validator{}, congestion.control); }

TimePs cnp_gap_ps(const Congestion& congestion) { return std::visit(CnpGap{}, congestion.control); }

}  // namespace heddle::oracle
