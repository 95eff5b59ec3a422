#include "io/formats/weights.hpp"

#include "io/formats/text.hpp"
#include "kernels/world/routing.hpp"

namespace heddle {

std::vector<PlainWeight> read_weights_csv(const std::string& path) {
  constexpr std::string_view kColumns = "switch,next_hop,weight";
  TextFile file(path, ",");
  file.take_header(kColumns);
  std::vector<PlainWeight> weights;
  while (!file.at_end()) {
    const TextLine& line = file.take("");
    file.expect_fields(line, kColumns, 3);
    PlainWeight weight;
    weight.from = line.fields[0].text;
    weight.to = line.fields[1].text;
    weight.weight = static_cast<u32>(file.number(line.fields[2], "weight", 0, kMaxLinkWeight));
    weight.line = line.number;
    weights.push_back(std::move(weight));
  }
  return weights;
}

}  // namespace heddle
