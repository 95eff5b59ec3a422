// The dimensions of topologies that have a section of their own, [topology.NAME].
#pragma once

#include <string_view>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// One key of such a section: a whole number.
struct Dimension {
  std::string_view key;
  i64 value = 0;  // default
  double min = 0, max = 4096;
  std::string_view help, source;
  std::string_view choices = {};  // as Parameter has it
  Quantity quantity = Quantity::none;
};

/// A dimension as a configuration gives it.
struct DimensionValue {
  std::string_view topology;
  const Dimension* dimension;
  i64 number = dimension->value;
};

/// Those of all topologies (registry.cpp).
std::vector<DimensionValue> default_dimensions();

}  // namespace heddle
