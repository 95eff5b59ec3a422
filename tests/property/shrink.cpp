#include "tests/property/shrink.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <unordered_set>

#include "host/config/source.hpp"
#include "tests/property/rewrites.hpp"
#include "tests/property/toml_tree.hpp"

namespace heddle::property {
namespace {

/// The finest clocks that shrinking tries; finer ones make runs long.
constexpr TimePs kFinestTickPs = 10'000;
constexpr u32 kFinestSlotLog2Ps = 12;
/// Horizon for a world that ends by itself, and might not end after a reduction.
constexpr i64 kFirstHorizonMs = 1;

TimePs finest(TimePs present_ps, TimePs limit_ps) { return std::min(present_ps, limit_ps); }

/// Returns the values to which a number may be reduced, the smallest first.
std::vector<u64> smaller(u64 n) {
  std::vector<u64> values = {0, 1, 2, n / 2};
  for (u64 unit = 10; unit <= n / 10; unit *= 10) values.push_back(n / unit * unit);  // rounder numbers
  values.push_back(n - n / 4);
  if (n != 0 && n <= 64) values.push_back(n - 1);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  values.erase(std::lower_bound(values.begin(), values.end(), n), values.end());
  return values;
}

class Shrinker {
 public:
  Shrinker(const WorldCase& start, const std::function<bool(const World&)>& still_fails,
           std::chrono::milliseconds limit)
      : still_fails_(still_fails),
        deadline_(std::chrono::steady_clock::now() + limit),
        root_(read_toml_text(start.toml, start.name)),
        world_(build(start)) {
    result_.smallest = start;
  }

  Shrunk run() {
    give_it_a_horizon();
    for (u64 before = ~u64{0}; before != result_.accepted && !result_.time_ran_out;) {
      before = result_.accepted;
      drop_twist();
      shorten_lists();
      remove_keys();
      try_rewrite(with_explicit_messages);
      try_rewrite(on_a_star);
      try_rewrite(with_used_endpoints);
      reduce_numbers();
      if (before == result_.accepted) reduce_topology_with_another();
    }
    return result_;
  }

 private:
  bool legal(const World& candidate) const {
    const Clocks &now = world_.clocks, &then = candidate.clocks;
    return WorldSize(candidate).within(WorldSize(world_)) && then.horizon_ps <= now.horizon_ps &&
           then.tick_ps >= finest(now.tick_ps, kFinestTickPs) &&
           then.slot_log2_ps >= std::min(now.slot_log2_ps, kFinestSlotLog2Ps);
  }

  /// Takes the candidate if it still fails.
  bool attempt(toml::table root, std::optional<Twist> twist) {
    if (result_.time_ran_out) return false;
    WorldCase candidate = result_.smallest;
    candidate.toml = text_of(root);
    candidate.twist = twist;
    drop_unused_files(candidate);
    if (!tried_.insert(text_of(candidate)).second) return false;
    if (std::chrono::steady_clock::now() >= deadline_) {
      result_.time_ran_out = true;
      return false;
    }
    ++result_.tried;
    std::optional<World> world;
    try {
      world = build(candidate);
    } catch (const std::exception&) {
      return false;  // a configuration that is refused is no smaller world
    }
    if (!legal(*world) || !still_fails_(*world)) return false;
    ++result_.accepted;
    result_.smallest = std::move(candidate);
    root_ = std::move(root);
    world_ = std::move(*world);
    return true;
  }

  bool attempt(toml::table root) { return attempt(std::move(root), result_.smallest.twist); }

  static void drop_unused_files(WorldCase& candidate) {
    std::erase_if(candidate.files,
                  [&](const auto& file) { return candidate.toml.find(file.first) == std::string::npos; });
  }

  void give_it_a_horizon() {
    if (world_.clocks.horizon_ps != kNever) return;
    toml::table root = root_;
    if (!root.contains("simulation")) root.insert("simulation", toml::table{});
    root["simulation"].as_table()->insert_or_assign("horizon", std::to_string(kFirstHorizonMs) + " ms");
    attempt(std::move(root));
  }

  void drop_twist() {
    if (!result_.smallest.twist || attempt(root_, std::nullopt)) return;
    for (u32 part = 1; part <= kAllTwists; part <<= 1) {
      Twist less = *result_.smallest.twist;
      if ((less.parts & part) == 0) continue;
      less.parts &= ~part;
      attempt(root_, less);
    }
  }

  /// Removes halves, quarters, ... single elements of every list, the outer lists first.
  void shorten_lists() {
    for (const TomlPath& path : all_paths(root_)) {
      const toml::node* node = find(root_, path);
      if (node == nullptr || !node->is_array()) continue;  // removed together with its parent
      for (std::size_t chunk = std::max<std::size_t>(size_of(path) / 2, 1); chunk >= 1; chunk /= 2) {
        for (std::size_t first = 0; first < size_of(path);) {
          TomlPath element = path;
          element.push_back(std::to_string(first));
          toml::table root = root_;
          remove(root, element, chunk);
          if (!attempt(std::move(root))) first += chunk;
        }
      }
    }
  }

  std::size_t size_of(const TomlPath& list) {
    const toml::node* node = find(root_, list);
    return node == nullptr || !node->is_array() ? 0 : node->as_array()->size();
  }

  /// Removes keys and sections, so that their defaults hold. Keys of the topology stay: its defaults are a whole AI
  /// Zone.
  void remove_keys() {
    for (const TomlPath& path : all_paths(root_)) {
      if (path[0] == "topology" || path == TomlPath{"simulation"} || path == TomlPath{"simulation", "horizon"})
        continue;
      toml::table root = root_;
      const toml::node* parent = find(root, TomlPath(path.begin(), path.end() - 1));
      if (parent == nullptr || !parent->is_table() || !remove(root, path)) continue;
      attempt(std::move(root));
    }
  }

  void try_rewrite(toml::table (*rewrite)(const toml::table&, const World&)) {
    toml::table root = rewrite(root_, world_);
    if (text_of(root) != text_of(root_)) attempt(std::move(root));
  }

  void reduce_numbers() {
    for (const TomlPath& path : all_paths(root_)) {
      while (reduce_number(path)) {
      }
    }
  }

  bool reduce_number(const TomlPath& path) {
    const toml::node* node = find(root_, path);
    const auto amount = node == nullptr ? std::nullopt : amount_of(*node);
    if (!amount) return false;
    for (u64 value : smaller(amount->value)) {
      toml::table root = root_;
      set_amount(root, path, value);
      if (attempt(std::move(root))) return true;
    }
    return false;
  }

  /// The ports share memory: fewer of them often fail only with less memory. So, when nothing else can be reduced, this
  /// reduces a number of the topology together with one more number.
  void reduce_topology_with_another() {
    const std::vector<TomlPath> paths = all_paths(root_);
    for (const TomlPath& path : paths) {
      if (path[0] != "topology") continue;
      for (const TomlPath& other : paths) {
        if (other != path) reduce_both(path, other);
      }
    }
  }

  void reduce_both(const TomlPath& first, const TomlPath& second) {
    const auto amount = [&](const TomlPath& path) {
      const toml::node* node = find(root_, path);
      return node == nullptr ? std::nullopt : amount_of(*node);
    };
    const auto a = amount(first), b = amount(second);
    if (!a || !b) return;
    for (u64 value : smaller(a->value)) {
      for (u64 other : smaller(b->value)) {
        toml::table root = root_;
        set_amount(root, first, value);
        set_amount(root, second, other);
        if (attempt(std::move(root))) return;
      }
    }
  }

  const std::function<bool(const World&)>& still_fails_;
  const std::chrono::steady_clock::time_point deadline_;
  toml::table root_;  // configuration of the smallest world
  World world_;       // the smallest world
  Shrunk result_;
  std::unordered_set<std::string> tried_;
};

}  // namespace

WorldSize::WorldSize(const World& world)
    : endpoints(world.fabric.endpoints),
      links(world.fabric.links.size()),
      qps(world.traffic.qps.size()),
      messages(world.traffic.messages.size()),
      collectives(world.collectives.collectives.size()) {
  for (const Message& m : world.traffic.messages) packets += m.bytes / world.roce.mtu_bytes + 1;
  for (const Collective& c : world.collectives.collectives) collective_bytes += c.bytes;
}

bool WorldSize::within(const WorldSize& other) const {
  return endpoints <= other.endpoints && links <= other.links && qps <= other.qps && messages <= other.messages &&
         packets <= other.packets && collectives <= other.collectives && collective_bytes <= other.collective_bytes;
}

Shrunk shrink(const WorldCase& start, const std::function<bool(const World&)>& still_fails,
              std::chrono::milliseconds limit) {
  return Shrinker(start, still_fails, limit).run();
}

}  // namespace heddle::property
