// Collectives that are composed of others: the ranks do them stage by stage, in smaller communicators.
#pragma once

#include <span>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/world/collective.hpp"

namespace heddle {

/// In a stage the ranks are divided into communicators of `ranks` each, `stride` apart: rank r is with those that
/// differ from it in (r / stride) mod ranks alone. All of them do `kind` with 1/share of the collective's bytes.
struct Stage {
  CollectiveKind kind;
  u32 stride, ranks;
  u32 share;
};

/// The communicators of a stage, of all `ranks`.
std::vector<std::vector<u32>> communicators_of(const Stage& stage, u32 ranks);

/// What a composed collective is made of: its kind, its ranks, and how many of them are in each server.
struct Composition {
  CollectiveKind kind;
  u32 ranks, gpus_per_server;
};

// hierarchical.cpp: inside servers by NVLink, and between them from each GPU to those of the same number (its rail).
std::vector<Stage> hierarchical_stages(const Composition& of);

// halving_doubling.cpp: in round r with the rank that differs in bit r. Throws ConfigError: not a power of two.
std::vector<Stage> halving_doubling_stages(const Composition& of);

}  // namespace heddle
