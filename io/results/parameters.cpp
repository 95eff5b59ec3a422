#include "io/results/parameters.hpp"

#include <algorithm>

#include "io/results/input_file.hpp"

namespace heddle {

std::vector<ConfigValue> read_parameters(const std::string& path) {
  const InputFile file(path);
  if (!file.has("/parameter")) return {};
  const std::vector<std::string> keys = file.texts("/parameter/key"), texts = file.texts("/parameter/text"),
                                 units = file.texts("/parameter/unit");
  const std::vector<u64> elements = file.numbers("/parameter/element");
  const std::vector<double> numbers = file.reals("/parameter/number");
  std::vector<ConfigValue> values;
  const size_t rows = std::min({keys.size(), texts.size(), units.size(), elements.size(), numbers.size()});
  for (size_t i = 0; i < rows; ++i)
    values.push_back({keys[i], static_cast<u32>(elements[i]), texts[i], numbers[i], units[i]});
  return values;
}

}  // namespace heddle
