// A result file whose datasets and attributes are not what our writer writes: `heddle info` describes it or refuses it
// with a message. The input is a list of edits, made through HDF5 itself on a good file, so that the file is always
// well-formed HDF5: what is tested is our reader, not HDF5's own reading of damaged bytes.
#include <filesystem>
#include <string>

#include "io/results/report.hpp"
#include "io/results/writer.hpp"
#include "kernels/outcome/outcome.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/result_edits.hpp"
#include "tests/scratch.hpp"

namespace {

using namespace heddle;

/// A small result: a star of 4, two messages, one all-reduce, 3 rows of series.
void write_good_file(const std::string& path) {
  const Config config = load_config_text(
      "topology = { kind = 'star', hosts = 4 }\n"
      "message = [{ src = 0, dst = 1, bytes = 4096 }, { src = 2, dst = 1, bytes = 1 }]\n"
      "[[job]]\ngpus_per_server = 1\n[[job.collective]]\nsizes = '1 MiB'\n",
      "fuzz.toml");
  const World world = build_world(config);
  Outcome outcome;
  outcome.messages.assign(world.traffic.messages.size(),
                          {{.start_ps = 1'000'000, .acked_ps = 3'000'000}, {.received_ps = 2'000'000}});
  outcome.collectives.resize(world.collectives.collectives.size());
  ResultSettings settings;
  settings.provenance.inputs.config_toml = resolved_text(config);
  ResultWriter writer(path, world, settings);
  const std::vector<LinkCounters> counters(world.fabric.links.size());
  for (const TimePs time_ps : {1'000'000, 2'000'000, 3'000'000}) writer.append_series(time_ps, counters);
  writer.finish(outcome, {.wall_s = 1, .packet_hops = 1, .memory_bytes = 1, .phases = {{"tick", 1}}});
  describe_run(path);  // an unedited file is accepted: an exception from here is a finding
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  static const std::string good = test::fresh_file("good.h5"),
                           edited = test::fresh_file("edited.h5");  // HDF5 opens only real files
  if (!std::filesystem::exists(good)) write_good_file(good);
  std::filesystem::copy_file(good, edited, std::filesystem::copy_options::overwrite_existing);
  fuzz::edit_result_file(edited, data, size);
  fuzz::accepts([&] { describe_run(edited); });
  return 0;
}
