#include "io/formats/routing_files.hpp"

#include "io/formats/text.hpp"
#include "kernels/world/routing.hpp"

namespace heddle {
namespace {

/// Reads two names and a number from min to max per line.
template <class Pair, class Number>
std::vector<Pair> read_pairs(const std::string& path, std::string_view columns, Number Pair::*number, u64 min,
                             u64 max) {
  TextFile file(path, ",");
  file.take_header(columns);
  std::vector<Pair> pairs;
  while (!file.at_end()) {
    const TextLine& line = file.take("");
    file.expect_fields(line, columns, 3);
    Pair pair;
    pair.from = line.fields[0].text;
    pair.to = line.fields[1].text;
    pair.*number = static_cast<Number>(file.number(line.fields[2], columns.substr(columns.rfind(',') + 1), min, max));
    pair.line = line.number;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

std::vector<PlainWeight> read_weights_csv(const std::string& path) {
  return read_pairs(path, "switch,next_hop,weight", &PlainWeight::weight, 0, kMaxLinkWeight);
}

std::vector<PlainDemand> read_demands_csv(const std::string& path) {
  return read_pairs(path, "src_rack,dst_rack,bytes", &PlainDemand::bytes, 1, 1'000'000'000'000'000);
}

}  // namespace heddle
