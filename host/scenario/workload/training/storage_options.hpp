// With which storage servers a training job exchanges data.
#pragma once

#include <string>
#include <string_view>

#include "kernels/base/types.hpp"

namespace heddle {

struct StorageOptions {
  std::string fabric;  // "": the first
  u32 first_host = 0, hosts = 0;
  std::string traffic_class = "lossless";
};

/// What keys of a job that trains depend on.
inline constexpr std::string_view kOnlyTraining = "model=llama3_8b|llama3_70b|llama3_405b|mixtral_8x7b|custom";

}  // namespace heddle
