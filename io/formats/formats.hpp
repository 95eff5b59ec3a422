// The formats of other projects' files, in one table: what parameters, messages, the command line and the README say of
// them comes from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

struct FlowReading;
struct PlainMatrix;
struct PlainServers;
struct Trace;
struct TraceReading;

/// One format. Of the readers there is at most one; they throw InputError.
struct Format {
  std::string_view key;  // that selects it ("topology.kind") or names the file ("routing.paths_file"), or "import"
  std::string_view word = {};                 // what the key has then; empty: it names the file
  std::string_view file = "file";             // key beside it that names the file
  std::string_view help;                      // "a GOAL schedule of LogGOPSim"
  bool written = false;                       // else read
  std::string_view ending = {}, begins = {};  // by which a file is recognised: its name, or one of its lines ("a|b")
  u32 byte_times = 3, line_bytes = 0;  // memory for each byte and line of a file, until all that is made of it is there
  bool of_servers = false;             // a topology: says which GPUs NVLink joins, and how fast
  std::vector<std::string> (*files_of_ranks)(const std::string& prefix) = nullptr;  // of a trace that has several
  bool of_any_gpus = false;           // a trace: does not say how many ranks it is for
  std::string_view collectives = {};  // a trace: kinds that it may have ("send|barrier")
  PlainServers (*read_topology)(const std::string& path, u32 first_hosts) = nullptr;
  PlainMatrix (*read_flows)(const std::string& path, const FlowReading& how) = nullptr;
  Trace (*read_trace)(const std::string& path, const TraceReading& how) = nullptr;

  /// Where a configuration names `path`: that, or those of all ranks.
  std::vector<std::string> files(const std::string& path) const;

  /// `topology.kind = "hpcc"`, `routing.paths_file`: what a configuration says, or `heddle import hpcc`.
  std::string named() const;
};

std::span<const Format> formats();

/// nullptr: there is none.
const Format* find_format(std::string_view key, std::string_view word = {});

/// "hpcc|simai|htsim": the words of a key, as choices of a parameter.
std::string format_words(std::string_view key);

/// "hpcc: a topology.txt of HPCC's ns-3; simai: ...": their help.
std::string format_helps(std::string_view key);

/// "a GOAL schedule of LogGOPSim, which a configuration names: ...": what a text that is no configuration seems to be,
/// and what to do with it. "": nobody knows.
std::string foreign_text(std::string_view text, const std::string& name);

}  // namespace heddle
