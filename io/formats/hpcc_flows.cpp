// Reader of flow.txt.
#include <fmt/format.h>

#include <algorithm>

#include "io/formats/hpcc.hpp"
#include "io/formats/hpcc_rest.hpp"
#include "io/formats/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxId = 0xfffffffe;

i64 start_ps(const TextFile& file, const Field& field) {
  const Decimal d = parse_decimal(field.text, 12);
  if (d.error == DecimalError::none && d.value <= static_cast<u64>(kNever)) return static_cast<i64>(d.value);
  if (d.error == DecimalError::malformed) {
    file.fail(field,
              fmt::format("start time (s) is '{}', not a decimal number; write it like '2.000001', without a unit",
                          excerpt(field.text)));
  }
  if (d.error == DecimalError::too_fine) {
    file.fail(field, fmt::format("start time (s) is '{}', finer than a picosecond; give at most 12 decimals",
                                 excerpt(field.text)));
  }
  file.fail(field, fmt::format("start time (s) is '{}', later than the longest run of {} s; start the flow earlier",
                               excerpt(field.text), kNever / 1'000'000'000'000));
}

/// The queue that a flow's packets take in HPCC's switches. All flows of a file share one class here.
u32 priority_group(const TextFile& file, const Field& field, const PlainFlow* first) {
  const auto group = static_cast<u32>(file.number(field, "pg", 0, 7, "priority group"));
  if (group == 0) {
    file.fail(field,
              "pg (priority group) is 0, the queue of HPCC's control frames: its packets pass all others, and are "
              "neither counted in the buffer nor paused nor marked, which is not simulated; write 3, as HPCC's own "
              "files do");
  }
  if (first != nullptr && group != first->priority) {
    file.fail(field, fmt::format("pg (priority group) is {}, and that of line {} is {}: HPCC gives each of them queues "
                                 "and pauses of its own, but all flows of a file share one class here; write one pg "
                                 "everywhere, or make a file of each",
                                 group, first->line, first->priority));
  }
  return group;
}

/// HPCC's columns, and conweave-ns3's, which have no dport.
constexpr size_t kColumns = 6, kColumnsWithoutPort = 5;
constexpr u32 kPort = 100;  // of all flows without, as HPCC's own files have it

/// Every line has as many columns as the first flow's, `wanted`; 0: this is the first.
void check_columns(const TextFile& file, const TextLine& line, size_t wanted) {
  const size_t columns = line.fields.size();
  if (columns == wanted || (wanted == 0 && (columns == kColumns || columns == kColumnsWithoutPort))) return;
  if (wanted != 0) {
    return file.expect_fields(
        line, wanted == kColumns ? "src dst pg dport size_bytes start_s" : "src dst pg size_bytes start_s", wanted);
  }
  const u32 column = columns > kColumns ? line.fields[kColumns].column : static_cast<u32>(line.text.size() + 1);
  file.fail(line.number, column,
            fmt::format("{} values where 6 are expected: src dst pg dport size_bytes start_s, as in HPCC, SimAI and "
                        "ns3-datacenter; or 5: src dst pg size_bytes start_s, as in conweave-ns3. Bring the columns of "
                        "other programs into one of these orders",
                        columns));
}

/// `first`: the first flow of the file, null while it is read; `columns` of it, 0 while it is read.
PlainFlow read_flow(TextFile& file, const PlainFlow* first, size_t& columns, u64 index, u64 declared, u32 nodes,
                    std::string_view whose) {
  const TextLine& line = file.take(fmt::format("flow {} of the {} that {}", index + 1, declared, whose));
  check_columns(file, line, columns);
  columns = line.fields.size();
  const u64 last_id = nodes == 0 ? kMaxId : nodes - 1;
  PlainFlow flow;
  flow.line = line.number;
  flow.src_column = line.fields[0].column;
  flow.dst_column = line.fields[1].column;
  flow.src = static_cast<u32>(file.number(line.fields[0], "src", 0, last_id, "node id"));
  flow.dst = static_cast<u32>(file.number(line.fields[1], "dst", 0, last_id, "node id"));
  if (flow.src == flow.dst) file.fail(line.fields[1], fmt::format("flow from node {} to itself; remove it", flow.src));
  flow.priority = priority_group(file, line.fields[2], first);
  flow.dst_port = columns == kColumnsWithoutPort
                      ? kPort
                      : static_cast<u32>(file.number(line.fields[3], "dport", 0, 65535, "UDP port"));
  flow.bytes = file.number(line.fields[columns - 2], "size", 1, static_cast<u64>(kNever), "bytes");
  flow.start_ps = start_ps(file, line.fields[columns - 1]);
  return flow;
}

}  // namespace

std::vector<PlainFlow> read_hpcc_flows(const std::string& path, u32 nodes, const ReadOptions& options,
                                       std::vector<std::string>* warnings) {
  TextFile file(path);
  const TextLine& head = file.take("the number of flows");
  file.expect_fields(head, "the number of flows", 1);
  const u64 count = file.number(head.fields[0], "number of flows", 0, kMaxId);
  std::vector<PlainFlow> flows;
  size_t columns = 0;
  const auto read = [&](u64 wanted, std::string_view whose) {
    constexpr u64 kShortestLine = 12;  // "0 1 3 1 1 0"
    flows.reserve(std::min<u64>(wanted, file.bytes() / kShortestLine + 1));
    for (u64 i = 0; i < wanted; ++i)
      flows.push_back(read_flow(file, flows.empty() ? nullptr : &flows.front(), columns, i, wanted, nodes, whose));
  };
  if (options.first_flows != 0) {
    read(options.first_flows, "workload.first_flows asks for");
    return flows;
  }
  read(count, "the first line declares");
  const Rest rest = take_rest(file);
  if (rest.data_lines != 0 && !options.accept_extra_lines) {
    file.fail(rest.first_data, 1,
              fmt::format("the first line declares {} flows, but {} more follow (HPCC would run the first {} and say "
                          "nothing of the others): write {} there to run all, or set workload.first_flows = {}",
                          count, rest.data_lines, count, count + rest.data_lines, count));
  }
  warn_of_rest(file, rest, fmt::format("flows beyond the {} that the first line declares", count), warnings);
  return flows;
}

}  // namespace heddle
