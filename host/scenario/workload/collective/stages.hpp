// Collectives composed of others: the ranks run them stage by stage, in smaller communicators.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/world/collective.hpp"

namespace heddle {

/// In a stage the ranks are divided into communicators of `ranks` each, `stride` apart: rank r is with those that
/// differ from it only in (r / stride) mod ranks. All of them run `kind` with 1/share of the collective's bytes.
struct Stage {
  CollectiveKind kind;
  u32 stride, ranks;
  u32 share;
};

/// The communicators of a stage over all `ranks`.
std::vector<std::vector<u32>> communicators_of(const Stage& stage, u32 ranks);

/// The inputs of a composed collective: its kind, its ranks, and how many of them are in each server.
struct Composition {
  CollectiveKind kind;
  u32 ranks, gpus_per_server;
};

// hierarchical.cpp: inside servers by NVLink, and between them from each GPU to those of the same number (its rail).
std::vector<Stage> hierarchical_stages(const Composition& of);

// hierarchical.cpp: once to each server, by the sender's rail, and from there by NVLink; combine the other way round.
std::vector<Stage> token_stages(const Composition& of);

// halving_doubling.cpp: in round r with the rank that differs in bit r. Throws ConfigError: not a power of two.
std::vector<Stage> halving_doubling_stages(const Composition& of);

}  // namespace heddle
