// What the fuzz targets share: properties that must hold, and inputs as files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/hashes.hpp"
#include "io/error.hpp"
#include "io/formats/trace.hpp"

namespace heddle::fuzz {

/// Aborts when a property does not hold; libFuzzer then keeps the input.
inline void require(bool holds, std::string_view property) {
  if (holds) return;
  std::fprintf(stderr, "broken property: %.*s\n", static_cast<int>(property.size()), property.data());
  std::abort();
}

/// Runs `read` on input that may be anything and returns whether it was accepted. A rejection is a ConfigError or an
/// InputError that says something; every other exception passes through, and libFuzzer reports it.
template <class Read>
bool accepts(const Read& read) {
  try {
    read();
    return true;
  } catch (const ConfigError& error) {
    require(*error.what() != '\0', "a ConfigError has a message");
  } catch (const InputError& error) {
    require(*error.what() != '\0', "an InputError has a message");
  }
  return false;
}

/// The configuration of a text, or nothing where the text was refused.
inline std::optional<Config> accepted_config(std::string_view text, std::span<const std::string> sets = {}) {
  std::optional<Config> config;
  accepts([&] { config = load_config_text(text, "fuzz.toml", sets); });
  return config;
}

/// What `heddle config` prints of an accepted configuration gives the same configuration.
inline void require_round_trip(const Config& config) {
  const std::string printed = resolved_text(config);
  const Config again = load_config_text(printed, "fuzz.toml");  // an exception from here is a finding
  require(resolved_text(again) == printed, "a printed configuration reads back to the same");
  require(config_hash(again) == config_hash(config), "a printed configuration has the same hash");
}

/// The input as a file that lives in memory, for readers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0, "the system gives a file in memory");
    const ssize_t written = write(descriptor_, content.data(), content.size());
    require(written == static_cast<ssize_t>(content.size()), "the file in memory takes the input");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Two racks of two GPUs and two CTSWs, with this routing policy and one message.
inline Config small_zone(const std::string& policy) {
  Config config;
  config.fabric.topology.kind = "ai_zone";
  config.fabric.topology.racks = 2;
  config.fabric.topology.gpus_per_rack = 2;
  config.fabric.topology.ctsws = config.fabric.topology.uplinks_per_rtsw = 2;
  config.routing.policy = policy;
  config.messages.push_back({.src = 0, .dst = 2, .bytes = 4096});
  return config;
}

/// An operation stands behind what it waits for, unless that, or itself, is done by what it waits for.
inline void require_order(const Trace& trace) {
  for (const std::vector<TraceOp>& ops : trace.programs) {
    for (u32 i = 0; i < ops.size(); ++i) {
      for (const u32 before : ops[i].after) {
        const bool alone = ops[i].done == DoneWhen::arrived || ops[before].done == DoneWhen::posted;
        require(before < i || alone, "an operation stands behind what it waits for");
      }
    }
  }
}

/// A star of hosts that replay a trace: built, or refused with a message.
inline void replay(const std::string& format, const std::string& path, u32 hosts) {
  Config config;
  config.fabric.topology.kind = "star";
  config.fabric.topology.hosts = hosts;
  JobOptions job;
  job.gpus = hosts;
  job.gpus_per_server = 1;
  job.trace.format = format;
  job.trace.file = path;
  config.jobs.push_back(job);
  accepts([&] { workload_hash(build_world(config)); });
}

/// libFuzzer's input as text.
inline std::string_view text_of(const u8* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace heddle::fuzz
