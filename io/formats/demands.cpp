#include "io/formats/demands.hpp"

#include "io/formats/text.hpp"

namespace heddle {

std::vector<PlainDemand> read_demands_csv(const std::string& path) {
  constexpr std::string_view kColumns = "src_rack,dst_rack,bytes";
  constexpr u64 kMaxBytes = 1'000'000'000'000'000;
  TextFile file(path, ",");
  file.take_header(kColumns);
  std::vector<PlainDemand> demands;
  while (!file.at_end()) {
    const TextLine& line = file.take("");
    file.expect_fields(line, kColumns, 3);
    PlainDemand demand;
    demand.from = line.fields[0].text;
    demand.to = line.fields[1].text;
    demand.bytes = file.number(line.fields[2], "bytes", 1, kMaxBytes);
    demand.line = line.number;
    demands.push_back(std::move(demand));
  }
  return demands;
}

}  // namespace heddle
