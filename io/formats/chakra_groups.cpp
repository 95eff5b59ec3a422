#include "io/formats/chakra_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "io/error.hpp"
#include "io/formats/chakra_file.hpp"
#include "io/ordinary_file.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

/// What a process group is for, by its name or description, such as Megatron's "TENSOR_MODEL_PARALLEL_GROUP" and
/// PyTorch's "mesh_dp". The first word that is in it counts.
Group group_of_words(std::string words) {
  std::ranges::transform(words, words.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  constexpr std::array<std::pair<std::string_view, Group>, 12> kWords = {{{"expert_data", Group::data},
                                                                          {"expert", Group::expert},
                                                                          {"mesh_ep", Group::expert},
                                                                          {"data", Group::data},
                                                                          {"mesh_dp", Group::data},
                                                                          {"fsdp", Group::data},
                                                                          {"tensor", Group::tensor},
                                                                          {"mesh_tp", Group::tensor},
                                                                          {"pipeline", Group::pipeline},
                                                                          {"mesh_pp", Group::pipeline},
                                                                          {"context", Group::context},
                                                                          {"mesh_cp", Group::context}}};
  const auto found = std::ranges::find_if(kWords, [&](const auto& w) { return words.find(w.first) != words.npos; });
  return found == kWords.end() ? Group::all : found->second;
}

/// What stands where a number should; not what is within it, which may be nested without end.
std::string shown(const nlohmann::json& value) {
  return value.is_structured() ? fmt::format("'{}'", value.type_name()) : excerpt(value.dump());
}

/// Ranks of a process group; none: all.
std::vector<u32> ranks_of(const nlohmann::json& list, u32 ranks, const std::string& place) {
  std::vector<u32> made;
  if (!list.is_array()) throw InputError(fmt::format("{}: the ranks of a process group are no list", place));
  for (const nlohmann::json& rank : list) {
    if (!rank.is_number_unsigned() || rank.get<u64>() >= ranks) {
      throw InputError(
          fmt::format("{}: a process group has rank {}, and there are ranks 0 to {}", place, shown(rank), ranks - 1));
    }
    made.push_back(rank.get<u32>());
  }
  std::ranges::sort(made);
  if (std::ranges::adjacent_find(made) != made.end())
    throw InputError(fmt::format("{}: a process group has rank {} twice", place, *std::ranges::adjacent_find(made)));
  for (u32 rank = 0; made.size() < ranks && list.empty(); ++rank) made.push_back(rank);
  return made;
}

/// Counts what a parser has read of a text.
struct Counted {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at;
  const char** read;

  const char& operator*() const { return *at; }
  Counted& operator++() {
    *read = ++at;
    return *this;
  }
  Counted operator++(int) {
    Counted before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Counted& other) const { return at == other.at; }
};

/// The whole file; what is no JSON is discarded. A name that comes twice is refused: of the two the parser would keep
/// the last.
nlohmann::json parse_once_named(const std::string& path, const std::string& text) {
  const char* read = text.data();
  std::set<std::string> names;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    if (event != nlohmann::json::parse_event_t::key || depth != 1 || names.insert(parsed.get<std::string>()).second)
      return true;
    const std::string_view before = std::string_view(text).substr(0, static_cast<size_t>(read - text.data()));
    const size_t end = before.rfind('"');
    size_t begin = before.rfind('"', end - 1);
    while (begin > 0 && before[begin - 1] == '\\') begin = before.rfind('"', begin - 1);
    const size_t line_begin = before.rfind('\n', begin) + 1;  // npos + 1 is 0
    throw InputError(fmt::format("{}:{}:{}: the process group '{}' is given twice; keep one", path,
                                 std::ranges::count(before.substr(0, begin), '\n') + 1, begin - line_begin + 1,
                                 excerpt(parsed.get<std::string>())));
  };
  return nlohmann::json::parse(Counted{text.data(), &read}, Counted{text.data() + text.size(), &read}, check, false);
}

}  // namespace

ProcessGroups read_groups_file(const std::string& path, u32 ranks) {
  ProcessGroups groups;
  if (path.empty()) return groups;
  OrdinaryFile file(path);
  const std::optional<std::string> text = file.read_all(kMaxConfigBytes);
  if (!text) throw InputError(fmt::format("cannot read '{}': {}", path, file.problem()));
  const nlohmann::json root = parse_once_named(path, *text);
  if (!root.is_object())
    throw InputError(fmt::format("{}: is no JSON object of process groups; write them as {{\"1\": [0, 1]}}", path));
  for (const auto& [name, list] : root.items())
    groups[name] = {group_of_words(name), ranks_of(list, ranks, fmt::format("{}: '{}'", path, excerpt(name)))};
  return groups;
}

void add_described_groups(const std::string& path, const chakra::Node& node, u32 ranks, ProcessGroups& groups) {
  const std::string& text = node.inputs().values();
  const size_t begin = text.find("[{"), end = text.rfind("}]");
  if (node.name().find("process_group:init") == std::string::npos || begin == std::string::npos) return;
  const nlohmann::json root =
      end == std::string::npos || end < begin
          ? nlohmann::json(nlohmann::json::value_t::discarded)
          : nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  text.begin() + static_cast<std::ptrdiff_t>(end) + 2, nullptr, false);
  if (root.is_discarded()) fail_at_node(path, node, "its inputs hold no JSON of process groups");
  for (const nlohmann::json& group : root) {
    if (!group.is_object() || !group.contains("pg_name") || !group["pg_name"].is_string() || !group.contains("ranks"))
      fail_at_node(path, node, "a process group of its inputs has no pg_name or no ranks");
    const std::string name = group["pg_name"].get<std::string>();
    const bool described = group.contains("pg_desc") && group["pg_desc"].is_string();
    groups[name] = {group_of_words(described ? group["pg_desc"].get<std::string>() : name),
                    ranks_of(group["ranks"], ranks, place_of_node(path, node))};
  }
}

}  // namespace heddle
