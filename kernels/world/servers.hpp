// Which endpoints and ranks share a server: what follows from how fabrics and jobs number them.
#pragma once

#include "kernels/world/collective.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle {

/// The number of a GPU's server, whose GPUs are consecutive endpoints. Most fabrics do not know how many a server has:
/// a job says it (JobOptions::gpus_per_server, and jobs may differ), and so does a fabric whose cables follow servers
/// (Fabric::nics_per_server).
inline u32 server_of(EndpointId gpu, u32 gpus_per_server) { return gpu / gpus_per_server; }

/// The first rank of a rank's server, in an all-to-all in closed form.
inline u32 first_rank_of_server(const AllPairs& pairs, u32 rank) { return rank - rank % pairs.gpus_per_server; }

/// CPU NICs are the first endpoints of another fabric, storage servers the last ones.
inline u32 count_cpu_nics(const OtherFabric& other) { return other.endpoints - other.storage_hosts; }

}  // namespace heddle
