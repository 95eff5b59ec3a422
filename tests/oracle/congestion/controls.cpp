#include "tests/oracle/congestion/controls.hpp"

#include <map>
#include <stdexcept>

namespace heddle::oracle {

const KnownControl* find_control(std::string_view name) {
  static const std::map<std::string_view, KnownControl> known = {
      {"dcqcn", dcqcn_control()},
  };
  auto found = known.find(name);
  return found == known.end() ? nullptr : &found->second;
}

const KnownControl* known_control(const Congestion& congestion) {
  if (congestion.none()) return nullptr;
  const KnownControl* control = find_control(congestion.control);
  if (control == nullptr)
    throw std::invalid_argument("the oracle does not know the congestion control '" + congestion.control +
                                "'; write it in tests/oracle/congestion, with its line in controls.cpp");
  return control;
}

TimePs cnp_gap_ps(const Congestion& congestion) {
  const KnownControl* control = known_control(congestion);
  if (control == nullptr || !control->uses_cnps) return kNever;
  return congestion.parameters.at(congestion.control + ".cnp_gap");
}

}  // namespace heddle::oracle
