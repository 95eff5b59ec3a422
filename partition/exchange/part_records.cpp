#include "partition/exchange/part_records.hpp"

#include <span>
#include <utility>

namespace heddle {
namespace {

bool is_cut(const World& world, const Part& part, u64 link) {
  if (part.rank_of_node.empty()) return false;
  const Link& l = world.fabric.links[link];
  return part.rank_of_node[l.src] != part.rank_of_node[l.dst];
}

bool is_shared(const World& world, const Part& part, u64 head) {
  switch (kind_of(head)) {
    case StateRecord::wire:
      return is_cut(world, part, id_of(head));
    case StateRecord::sums:
    case StateRecord::warned:
      return true;
    default:
      return false;
  }
}

}  // namespace

PartRecords records_of(const Engine& engine, const World& world, const Part& part) {
  PartRecords all;
  engine.save([&](std::span<const u64> records) {
    std::vector<u64> own;
    own.reserve(records.size());
    while (!records.empty()) {
      const u64 words = kStateRecordHead + records[1];
      std::vector<u64>& side = is_shared(world, part, records[0]) ? all.shared : own;
      side.insert(side.end(), records.begin(), records.begin() + static_cast<std::ptrdiff_t>(words));
      records = records.subspan(words);
    }
    all.own.push_back(std::move(own));
  });
  return all;
}

}  // namespace heddle
