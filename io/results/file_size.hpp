// How large a result file can become, before anything is compressed.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Upper bounds in bytes, from the World alone. Events without a bound here are not counted.
struct FileSize {
  u64 fixed_bytes = 0;       // /topology and HDF5's own structures
  u64 end_bytes = 0;         // written at the end: /message, /collective, /link, /histogram, rows that wait for a chunk
  u64 series_row_bytes = 0;  // one instant of /series
  u64 gpu_time_bytes = 0;    // /event/gpu_time, with the completions of training jobs' ranks
};

FileSize file_size_of(const World& world, bool link_series, bool gpu_time);

/// The most memory of the writer for rows that the end of a run decides: rows that wait for their chunk, and HDF5's
/// caches.
u64 end_buffer_bytes(u64 messages, u64 requests, u64 collectives, u64 iterations, u64 links);

}  // namespace heddle
