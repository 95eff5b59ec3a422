// io/RESULT_FILE.md documents every dataset of the result file, with its unit.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "io/results/layout.hpp"

namespace heddle::test {
namespace {

std::string document() {
  std::ifstream stream("io/RESULT_FILE.md");
  EXPECT_TRUE(stream) << "the tests run in the root of the repository";
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The text from the heading of a group to the next heading.
std::string section(const std::string& text, std::string_view group) {
  const size_t start = text.find("### `" + std::string(group));
  EXPECT_NE(start, std::string::npos) << "no section for " << group;
  if (start == std::string::npos) return "";
  return text.substr(start, text.find("\n#", start + 1) - start);
}

/// The line of a table that names the column; several columns may share one.
std::string line_of(const std::string& text, std::string_view column) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `", 0) == 0 && line.find("`" + std::string(column) + "`") != std::string::npos) return line;
  }
  return "";
}

TEST(LayoutDocument, NamesEveryColumnWithItsUnit) {
  const std::string text = document();
  const TableSpec tables[] = {layout::nodes(1),
                              layout::links(),
                              layout::messages(),
                              layout::collectives(),
                              layout::pfc_events(),
                              layout::drop_events(),
                              layout::failure_events(),
                              layout::completion_events(),
                              layout::link_outcomes(),
                              layout::parameters(1, 1),
                              layout::job_ranks(1),
                              layout::communicators(),
                              layout::iterations(),
                              layout::gpu_time_events(),
                              layout::tcp_window_events(),
                              layout::training_checkpoints(),
                              layout::requests(),
                              layout::request_summaries(),
                              layout::message_summaries(),
                              layout::message_kind_summaries(),
                              layout::iteration_summaries(),
                              layout::collective_summaries()};
  for (const TableSpec& table : tables) {
    const std::string part = section(text, table.group);
    for (const ColumnSpec& column : table.columns) {
      const std::string line = line_of(part, column.name);
      EXPECT_NE(line.find("| " + std::string(column.units) + " |"), std::string::npos)
          << table.group << "/" << column.name << " is not documented with its unit '" << column.units << "': " << line;
    }
  }
  const std::string series = section(text, "/series/tier");
  for (const ColumnSpec& quantity : layout::kSeriesQuantities) {
    EXPECT_NE(line_of(series, quantity.name).find("| " + std::string(quantity.units) + " |"), std::string::npos)
        << quantity.name;
  }
}

}  // namespace
}  // namespace heddle::test
