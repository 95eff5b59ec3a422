// Edits of a well-formed HDF5 file that keep it well-formed: objects removed, or replaced by others of another type,
// shape or content.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io/results/hdf5.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace heddle::fuzz {

/// What our reader reads, and what it does not.
inline constexpr std::array kDatasets = {"/config",
                                         "/topology/node/kind",
                                         "/topology/link/link",
                                         "/message/bytes",
                                         "/message/posted_ps",
                                         "/message/finish_ps",
                                         "/message/ideal_ps",
                                         "/message/retransmitted_packets",
                                         "/message/ecn_marks",
                                         "/message/cnps",
                                         "/collective/id",
                                         "/collective/job",
                                         "/collective/kind",
                                         "/collective/algorithm",
                                         "/collective/ranks",
                                         "/collective/bytes",
                                         "/collective/start_ps",
                                         "/collective/finish_ps",
                                         "/collective/first_rank_ps",
                                         "/collective/ranks_finished",
                                         "/collective/algbw_GBps",
                                         "/collective/busbw_GBps",
                                         "/series/tier/time_ps",
                                         "/series/tier/tier",
                                         "/series/tier/links",
                                         "/series/tier/bits_per_s",
                                         "/series/tier/queue_bytes",
                                         "/series/tier/sent_bytes",
                                         "/series/tier/paused_ps",
                                         "/series/tier/ecn_marks",
                                         "/series/tier/drops",
                                         "/event/pfc/time_ps",
                                         "/event/drop/time_ps",
                                         "/event/completion/time_ps",
                                         "/perf/phase/phase",
                                         "/perf/phase/wall_s",
                                         "/histogram/queue_depth",
                                         "/message"};
inline constexpr std::array kObjects = {"/", "/perf", "/collective/kind", "/collective/algorithm"};
inline constexpr std::array kAttributes = {"format",
                                           "format_version",
                                           "status",
                                           "explanation",
                                           "digest",
                                           "seed",
                                           "tick_ps",
                                           "horizon_ps",
                                           "end_ps",
                                           "series_interval_ps",
                                           "software_version",
                                           "git_commit",
                                           "git_dirty",
                                           "build",
                                           "date",
                                           "command_line",
                                           "hosts",
                                           "slurm_job_id",
                                           "ranks",
                                           "threads",
                                           "devices",
                                           "config_hash",
                                           "topology_hash",
                                           "workload_hash",
                                           "packet_hops",
                                           "data_packets_received",
                                           "ecn_marks",
                                           "drops_class_limit",
                                           "wall_s",
                                           "memory_bytes",
                                           "sittings",
                                           "flag_meanings"};

/// A type that a dataset or an attribute may get. Fixed texts are 1 to 40 bytes wide.
inline h5::Handle drawn_type(FuzzedDataProvider& draw) {
  switch (draw.ConsumeIntegralInRange(0, 6)) {
    case 0:
      return h5::Handle(H5Tcopy(H5T_STD_U8LE));
    case 1:
      return h5::Handle(H5Tcopy(H5T_STD_I64LE));
    case 2:
      return h5::Handle(H5Tcopy(H5T_STD_U64LE));
    case 3:
      return h5::Handle(H5Tcopy(H5T_IEEE_F64LE));
    case 4:
      return h5::Handle(H5Tcopy(H5T_STD_REF_OBJ));
    default:
      h5::Handle text(H5Tcopy(H5T_C_S1));
      H5Tset_size(text.get(), draw.ConsumeIntegralInRange<size_t>(1, 40));
      return text;
  }
}

/// 0 to 3 axes of 0 to 12; where `huge` is wanted the first axis is 2^29 to 2^40 and no row is ever written: more than
/// our reader accepts, so that what it may hold in memory stays below the limit of a fuzz case.
inline std::vector<hsize_t> drawn_shape(FuzzedDataProvider& draw, bool huge) {
  std::vector<hsize_t> shape(draw.ConsumeIntegralInRange<size_t>(huge ? 1 : 0, 3));
  for (hsize_t& length : shape) length = draw.ConsumeIntegralInRange<hsize_t>(0, 12);
  if (huge) shape[0] = draw.ConsumeIntegralInRange<hsize_t>(hsize_t{1} << 29, hsize_t{1} << 40);
  return shape;
}

inline h5::Handle space_of(const std::vector<hsize_t>& shape) {
  if (shape.empty()) return h5::Handle(H5Screate(H5S_SCALAR));
  return h5::Handle(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
}

/// Random bytes for every value of `space`.
inline std::string drawn_content(FuzzedDataProvider& draw, const h5::Handle& type, const h5::Handle& space) {
  const auto values = static_cast<size_t>(H5Sget_simple_extent_npoints(space.get()));
  std::string content = draw.ConsumeBytesAsString(values * H5Tget_size(type.get()));
  content.resize(values * H5Tget_size(type.get()), '\0');
  return content;
}

inline void replace_dataset(hid_t file, const char* path, FuzzedDataProvider& draw) {
  H5Ldelete(file, path, H5P_DEFAULT);
  const bool huge = draw.ConsumeIntegralInRange(0, 7) == 0;
  const h5::Handle type = drawn_type(draw), space = space_of(drawn_shape(draw, huge));
  const h5::Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  const std::vector<hsize_t> chunk(static_cast<size_t>(std::max(H5Sget_simple_extent_ndims(space.get()), 0)), 1);
  if (huge) H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  const h5::Handle made(H5Dcreate2(file, path, type.get(), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  if (!made || huge) return;
  H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, drawn_content(draw, type, space).data());
}

inline void replace_attribute(hid_t file, const char* object, const char* name, FuzzedDataProvider& draw) {
  const h5::Handle owner(H5Oopen(file, object, H5P_DEFAULT));
  if (!owner) return;
  H5Adelete(owner.get(), name);
  const h5::Handle type = drawn_type(draw), space = space_of(drawn_shape(draw, false));
  const h5::Handle made(H5Acreate2(owner.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (made) H5Awrite(made.get(), type.get(), drawn_content(draw, type, space).data());
}

/// Up to 8 edits, drawn from the input, of the file at `path`.
inline void edit_result_file(const std::string& path, const u8* data, std::size_t size) {
  FuzzedDataProvider draw(data, size);
  const h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  require(static_cast<bool>(file), "HDF5 opens the good file for editing");
  for (int edits = 0; edits < 8 && draw.remaining_bytes() > 0; ++edits) {
    switch (draw.ConsumeIntegralInRange(0, 3)) {
      case 0:
        H5Ldelete(file.get(), draw.PickValueInArray(kDatasets), H5P_DEFAULT);
        break;
      case 1:
        replace_attribute(file.get(), draw.PickValueInArray(kObjects), draw.PickValueInArray(kAttributes), draw);
        break;
      default:
        replace_dataset(file.get(), draw.PickValueInArray(kDatasets), draw);
    }
  }
}

}  // namespace heddle::fuzz
