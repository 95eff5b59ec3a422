#include "io/checkpoint/run_section.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "io/checkpoint/layout.hpp"
#include "io/error.hpp"
#include "io/results/input_file.hpp"
#include "kernels/base/words.hpp"

namespace heddle {

std::vector<u64> run_section(const CheckpointHeader& header) {
  std::vector<u64> words;
  append_records(words, std::span(&header.history, 1));
  append_text(words, header.run.inputs.config_toml);
  words.push_back(header.run.inputs.files.size());
  for (const NamedFile& file : header.run.inputs.files) {
    append_text(words, file.key);
    words.push_back(file.hash);
  }
  return words;
}

void take_run_section(std::span<const u64> words, const std::string& path, CheckpointHeader& header) {
  try {
    WordSource source(words);
    header.history = source.record<RunHistory>();
    RunInputs inputs{source.text(), {}};
    for (u64 files = source.word(); files > 0; --files) {
      std::string key = source.text();
      inputs.files.push_back({std::move(key), source.word()});
    }
    if (!source.empty()) throw std::out_of_range("less was expected than there is");
    header.run.inputs = std::move(inputs);
  } catch (const std::out_of_range& misfit) {
    throw InputError(fmt::format("cannot use checkpoint '{}': section '{}': {} (another program wrote it)", path,
                                 checkpoint_layout::kRunSection, misfit.what()));
  }
}

RunInputs read_inputs(const std::string& path) {
  CheckpointHeader header;
  take_run_section(InputFile(path).numbers(fmt::format("/{}", checkpoint_layout::kRunSection)), path, header);
  return header.run.inputs;
}

}  // namespace heddle
