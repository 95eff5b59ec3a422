#include "host/scenario/workload/communicators.hpp"

#include <algorithm>

#include "kernels/world/servers.hpp"

namespace heddle {

u64 bytes_of_busiest(const PlainByteMatrix& matrix) {
  u64 most = 0;
  for (u32 rank = 0; rank < matrix.ranks; ++rank) {
    u64 sent = 0, received = 0;
    for (u32 other = 0; other < matrix.ranks; ++other) {
      sent += matrix.bytes[u64{rank} * matrix.ranks + other];
      received += matrix.bytes[u64{other} * matrix.ranks + rank];
    }
    most = std::max({most, sent, received});
  }
  return most;
}

u32 ranks_in_each_server(const std::vector<EndpointId>& gpus, u32 gpus_per_server) {
  const auto server = [&](size_t i) { return server_of(gpus[i], gpus_per_server); };
  u32 together = 1;
  while (together < gpus.size() && server(together) == server(0)) ++together;
  if (gpus.size() % together != 0) return 0;
  for (size_t i = 1; i < gpus.size(); ++i) {
    if ((server(i) == server(i - 1)) == (i % together == 0)) return 0;
  }
  return together;
}

u32 add_program(const std::vector<std::vector<Op>>& streams, ProgramPlan& programs) {
  Program program;
  program.first_stream = static_cast<u32>(programs.streams.size());
  program.streams = static_cast<u32>(streams.size());
  for (const std::vector<Op>& ops : streams) {
    programs.streams.push_back({static_cast<u32>(programs.ops.size()), static_cast<u32>(ops.size())});
    programs.ops.insert(programs.ops.end(), ops.begin(), ops.end());
  }
  programs.programs.push_back(program);
  return static_cast<u32>(programs.programs.size() - 1);
}

}  // namespace heddle
