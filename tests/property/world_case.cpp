#include "tests/property/world_case.hpp"

#include <fmt/format.h>
#include <fmt/printf.h>
#include <toml++/toml.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "host/base/error.hpp"
#include "host/config/source.hpp"
#include "host/scenario/build.hpp"
#include "tests/property/near_end.hpp"
#include "tests/property/near_event.hpp"
#include "tests/property/world_generator.hpp"
#include "tests/scratch.hpp"

namespace heddle::property {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTwistComment = "# twist: seed %llu, parts %u, longest_ps %lld";

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw ConfigError(file.string() + ": cannot be read, so this world cannot be built; check the path");
  return text.str();
}

void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out)
    throw std::runtime_error(file.string() + ": cannot be written, so this world is not kept; is the disk full?");
}

std::optional<Twist> twist_of(const std::string& text) {
  const std::size_t at = text.find("# twist:");
  if (at == std::string::npos) return std::nullopt;
  unsigned long long seed = 0;
  unsigned parts = 0;
  long long longest_ps = 0;
  if (std::sscanf(text.c_str() + at, kTwistComment, &seed, &parts, &longest_ps) != 3) {
    throw ConfigError(
        "the comment \"# twist:\" does not read \"# twist: seed N, parts N, longest_ps N\", so the tables of this "
        "world are unknown; mend it, or remove it to run the configuration as it stands");
  }
  return Twist{seed, parts, longest_ps};
}

/// Returns the keys by which a configuration names its input files.
std::vector<std::string> files_named(const toml::table& root) {
  std::vector<std::string> names;
  const auto add = [&](const toml::node* node) {
    const auto name = node == nullptr ? std::nullopt : node->value<std::string>();
    if (name && !name->empty()) names.push_back(*name);
  };
  add(root["topology"]["file"].node());
  add(root["routing"]["paths_file"].node());
  add(root["routing"]["weights_file"].node());
  add(root["routing"]["demands_file"].node());
  add(root["workload"]["flow_file"].node());
  if (const toml::array* jobs = root["job"].as_array()) {
    for (std::size_t i = 0; i < jobs->size(); ++i) {
      const toml::array* steps =
          (*jobs)[i].as_table() == nullptr ? nullptr : (*jobs)[i].as_table()->get_as<toml::array>("collective");
      for (std::size_t c = 0; steps != nullptr && c < steps->size(); ++c) {
        if (const toml::table* step = (*steps)[c].as_table()) add(step->get("matrix_file"));
      }
    }
  }
  if (const toml::array* generators = root["generator"].as_array()) {
    for (std::size_t i = 0; i < generators->size(); ++i) add((*generators)[i].as_table()->get("size_cdf"));
  }
  return names;
}

}  // namespace

WorldCase case_of_seed(u64 seed) {
  RandomWorld random = random_world(seed);
  WorldCase world_case;
  world_case.name = fs::path(random.name).stem().string();
  world_case.toml = std::move(random.toml);
  world_case.files = std::move(random.files);
  if (random.twisted) world_case.twist = Twist{seed, kAllTwists, random.longest_ps};
  if (random.near_event) fail_at_an_event(seed, world_case);
  if (random.near_end) end_near_its_end(seed, world_case);
  return world_case;
}

WorldCase read_case(const fs::path& file) {
  WorldCase world_case;
  world_case.name = file.stem().string();
  world_case.toml = read_text(file);
  world_case.twist = twist_of(world_case.toml);
  for (const std::string& name : files_named(read_toml_text(world_case.toml, file.string()))) {
    if (fs::path(name).is_absolute()) continue;  // the same from any folder
    if (fs::path(name).lexically_normal().string().starts_with("..")) {
      throw ConfigError(file.string() + ": names \"" + name +
                        "\", above its own folder, so it cannot be copied with it; give the absolute path");
    }
    world_case.files.emplace_back(name, read_text(file.parent_path() / name));
  }
  return world_case;
}

std::string text_of(const WorldCase& world_case) {
  if (!world_case.twist || twist_of(world_case.toml)) return world_case.toml;
  const Twist& t = *world_case.twist;
  return fmt::sprintf(kTwistComment, t.seed, t.parts, t.longest_ps) +
         "\n# heddle-property changes the tables of this world so; heddle and heddle-oracle run it without.\n" +
         world_case.toml;
}

fs::path keep(const WorldCase& world_case, const fs::path& folder) {
  for (const auto& [name, content] : world_case.files) write_text(folder / name, content);
  const fs::path file = folder / (world_case.name + ".toml");
  write_text(file, text_of(world_case));
  return file;
}

World build(const WorldCase& world_case) {
  const test::ScratchFolder folder;
  for (const auto& [name, content] : world_case.files) write_text(folder.path() / name, content);
  const std::string file = (folder.path() / (world_case.name + ".toml")).string();
  World world = build_world(world_case.toml, file);
  if (world_case.twist) twist(*world_case.twist, world);
  return world;
}

}  // namespace heddle::property
