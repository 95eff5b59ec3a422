// A transformer by its dimensions: the operations and parameters of its layers.
#pragma once

#include "host/scenario/workload/training/options.hpp"

namespace heddle {

inline u64 divided_up(u64 a, u64 b) { return (a + b - 1) / b; }

struct Transformer {
  u64 layers = 0, hidden = 0, ffn_hidden = 0, attention_heads = 0, kv_heads = 0, vocabulary = 0;
  u64 experts = 1, experts_per_token = 1;

  /// The width of all key and value heads together.
  u64 kv_hidden() const { return hidden / attention_heads * kv_heads; }

  // Parameters of a layer, norms included, and of the embedding or the output head.
  u64 attention_parameters() const { return 2 * hidden * hidden + 2 * hidden * kv_hidden() + 2 * hidden; }
  u64 expert_parameters() const { return 3 * hidden * ffn_hidden; }
  u64 vocabulary_parameters() const { return vocabulary * hidden; }
  /// Of the whole model.
  u64 parameters() const {
    return layers * (attention_parameters() + experts * expert_parameters()) + 2 * vocabulary_parameters();
  }

  // Floating-point operations of a forward pass of `tokens` tokens that see sequences of `sequence_length`, half of it
  // on average; a multiplication and an addition are two.
  double attention_flops(double tokens, double sequence_length) const;
  double ffn_flops(double tokens) const;
  double head_flops(double tokens) const;
};

/// The model that the options name, with the dimensions that they override. Throws ConfigError, naming job `job`:
/// missing dimensions of a custom model, or dimensions that do not fit together.
Transformer transformer_of(const TrainingOptions& options, u32 job);

}  // namespace heddle
