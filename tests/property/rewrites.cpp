#include "tests/property/rewrites.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace heddle::property {
namespace {

toml::table star(std::size_t hosts) { return toml::table{{"kind", "star"}, {"hosts", static_cast<i64>(hosts)}}; }

/// Calls `f` with every integer that names an endpoint of a message or a slow receiver.
template <class F>
void for_each_endpoint(toml::table& root, F&& f) {
  if (toml::array* messages = root["message"].as_array()) {
    for (toml::node& message : *messages) {
      for (const char* key : {"src", "dst"}) {
        if (auto* id = (*message.as_table())[key].as_integer()) f(id->get());
      }
    }
  }
  if (toml::array* receivers = root["slow_receiver"].as_array()) {
    for (toml::node& receiver : *receivers) {
      toml::array* ids = (*receiver.as_table())["endpoints"].as_array();
      for (std::size_t i = 0; ids != nullptr && i < ids->size(); ++i) {
        if (auto* id = ids->get(i)->as_integer()) f(id->get());
      }
    }
  }
}

}  // namespace

toml::table with_explicit_messages(const toml::table& root, const World& world) {
  toml::table plain = root;
  if (!world.programs.batches.empty()) return plain;  // programs post some of its messages
  if (!plain.contains("generator")) return plain;     // or jitter would be added to posting times again and again
  toml::array messages;
  for (const Message& m : world.traffic.messages) {
    const Qp& qp = world.traffic.qps[m.qp];
    toml::table message{{"src", static_cast<i64>(qp.src)},
                        {"dst", static_cast<i64>(qp.dst)},
                        {"bytes", std::to_string(m.bytes) + " B"},
                        {"post", std::to_string(m.post_ps) + " ps"}};
    for (const OtherFabric& other : world.fabric.others) {
      if (qp.src < other.first || qp.src >= other.first + other.endpoints) continue;
      message.insert("fabric", other.name);
      message.insert_or_assign("src", static_cast<i64>(qp.src - other.first));
      message.insert_or_assign("dst", static_cast<i64>(qp.dst - other.first));
    }
    if (qp.traffic_class != 1) message.insert("class", "best_effort");  // a twist adds its fourth class again
    messages.push_back(std::move(message));
  }
  plain.erase("generator");
  plain.erase("workload");
  plain.insert("workload", toml::table{{"jitter_packets", 0}});  // the posting times contain it already
  plain.insert_or_assign("message", std::move(messages));
  return plain;
}

toml::table on_a_star(const toml::table& root, const World& world) {
  toml::table plain = root;
  plain.insert_or_assign("topology", star(count_gpus(world.fabric)));
  for (const char* of_fabric : {"routing", "failure", "failures"}) plain.erase(of_fabric);
  return plain;
}

toml::table with_used_endpoints(const toml::table& root, const World&) {
  toml::table plain = root;
  if (plain.contains("generator") || plain.contains("job") || plain.contains("fabric")) return plain;
  std::set<i64> used;
  for_each_endpoint(plain, [&](i64 id) { used.insert(id); });
  for_each_endpoint(plain, [&](i64& id) { id = std::distance(used.begin(), used.find(id)); });
  plain.insert_or_assign("topology", star(std::max<std::size_t>(used.size(), 2)));
  for (const char* of_fabric : {"routing", "failure", "failures"}) plain.erase(of_fabric);
  return plain;
}

}  // namespace heddle::property
