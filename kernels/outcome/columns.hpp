// What a run says of a message, a link, a collective or an iteration: its values are declared once, beside their
// struct, and checkpoints, ranks, result files, JSON and comparisons go through that list.
#pragma once

#include <algorithm>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/base/member.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// How what several parts of a World know of a value becomes one.
enum class Join : u8 {
  one,    // one part knows it; in the others it is what it begins with
  sum,    // each counts its own, from 0
  first,  // the earliest time; -1: none yet
  most,
};

/// A value of a Row: a number, or an array of them.
template <class Row, class Value>
struct Column {
  const char* name;     // in result files and JSON
  const char* unit;     // "1": it counts
  const char* meaning;  // nullptr: result files have it in another form
  Join join;
  MemberOf<Row, Value> member;
  bool came_later = false;  // result files of earlier versions lack it

  constexpr bool is_count() const { return *unit == '1'; }
};
template <class Row, class Value>
Column(const char*, const char*, const char*, Join, Value Row::*, bool = false) -> Column<Row, Value>;

/// Calls visit(column) for all that Row::columns() lists.
template <class Row, class Visit>
constexpr void for_each_column(const Visit& visit) {
  std::apply([&](const auto&... columns) { (visit(columns), ...); }, Row::columns());
}

/// Calls visit(column, value of each row) for every number of the rows.
template <class Visit, class Row, class... Others>
void for_each_value(const Visit& visit, Row& row, Others&... others) {
  for_each_column<std::remove_const_t<Row>>([&](const auto& column) {
    if constexpr (const auto member = column.member; std::is_array_v<std::remove_reference_t<decltype(row.*member)>>) {
      for (std::size_t i = 0; i < std::size(row.*member); ++i)
        visit(column, (row.*member)[i], (others.*column.member)[i]...);
    } else {
      visit(column, row.*column.member, others.*column.member...);
    }
  });
}

/// Adds what another part knows.
template <class Row>
void join(Row& all, const Row& part) {
  const Row none;
  for_each_value(
      [](const auto& column, auto& sum, const auto& term, const auto& begin) {
        switch (column.join) {
          case Join::one:
          case Join::sum:
            sum += term - begin;
            break;
          case Join::first:  // unsigned, -1 is the last
            if (static_cast<u64>(term) < static_cast<u64>(sum)) sum = term;
            break;
          case Join::most:
            sum = std::max(sum, term);
            break;
        }
      },
      all, part, none);
}

/// Whether the list lacks nothing that makes the Row larger.
template <class Row>
constexpr bool lists_all() {
  std::size_t bytes = 0;
  for_each_column<Row>([&](const auto& column) { bytes += sizeof(std::declval<Row&>().*column.member); });
  return sizeof(Row) - bytes < alignof(Row);
}

}  // namespace heddle
