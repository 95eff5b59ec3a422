#include "host/scenario/workload/training/transformer.hpp"

#include <fmt/format.h>

#include <map>

#include "host/base/error.hpp"

namespace heddle {
namespace {

/// Llama 3: The Llama 3 Herd of Models (2024), table 3. Mixtral: Mixtral of Experts (2024), table 1.
Transformer known_model(const std::string& name) {
  static const std::map<std::string, Transformer> models = {
      {"llama3_8b", {32, 4096, 14336, 32, 8, 128'256, 1, 1}},
      {"llama3_70b", {80, 8192, 28672, 64, 8, 128'256, 1, 1}},
      {"llama3_405b", {126, 16384, 53248, 128, 8, 128'256, 1, 1}},
      {"mixtral_8x7b", {32, 4096, 14336, 32, 8, 32'000, 8, 2}},
  };
  const auto found = models.find(name);
  return found == models.end() ? Transformer{} : found->second;
}

}  // namespace

double Transformer::attention_flops(double tokens, double sequence_length) const {
  const auto h = static_cast<double>(hidden), kv = static_cast<double>(kv_hidden());
  return 2 * tokens * h * (2 * h + 2 * kv) + 2 * tokens * sequence_length * h;
}

double Transformer::ffn_flops(double tokens) const {
  return 2 * tokens * static_cast<double>(expert_parameters()) * static_cast<double>(experts_per_token);
}

double Transformer::head_flops(double tokens) const {
  return 2 * tokens * static_cast<double>(vocabulary_parameters());
}

Transformer transformer_of(const TrainingOptions& options, u32 job) {
  Transformer model = known_model(options.model);
  const auto say = [&](const char* key, u32 given, u64& dimension) {
    if (given != 0) dimension = given;
    if (dimension == 0)
      throw ConfigError(fmt::format("job[{0}].training.{1}: a custom model needs it; give {1} = ...", job, key));
  };
  say("layers", options.layers, model.layers);
  say("hidden", options.hidden, model.hidden);
  say("ffn_hidden", options.ffn_hidden, model.ffn_hidden);
  say("attention_heads", options.attention_heads, model.attention_heads);
  say("kv_heads", options.kv_heads, model.kv_heads);
  say("vocabulary", options.vocabulary, model.vocabulary);
  say("experts", options.experts, model.experts);
  say("experts_per_token", options.experts_per_token, model.experts_per_token);
  if (model.hidden % model.attention_heads != 0) {
    throw ConfigError(
        fmt::format("job[{}].training: hidden = {} is no multiple of attention_heads = {}: heads are "
                    "equally wide",
                    job, model.hidden, model.attention_heads));
  }
  if (model.attention_heads % model.kv_heads != 0) {
    throw ConfigError(
        fmt::format("job[{}].training: attention_heads = {} is no multiple of kv_heads = {}: as many heads share each "
                    "pair of key and value",
                    job, model.attention_heads, model.kv_heads));
  }
  if (model.experts_per_token > model.experts) {
    throw ConfigError(fmt::format("job[{}].training.experts_per_token: {} of {} experts; give at most as many", job,
                                  model.experts_per_token, model.experts));
  }
  return model;
}

}  // namespace heddle
