#include "partition/exchange/nodes.hpp"

#include <algorithm>

namespace heddle {

Nodes::Nodes(MPI_Comm comm, PretendedNodes pretended) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm_);
  if (const int size = static_cast<int>(pretended.ranks_per_node); size > 0) {
    MPI_Comm machine = comm_;
    int number = 0, count = 1;
    MPI_Comm_rank(machine, &number);
    MPI_Comm_size(machine, &count);
    const int nodes = (count + size - 1) / size;
    MPI_Comm_split(machine, pretended.dealt_out ? number % nodes : number / size, rank, &comm_);
    MPI_Comm_free(&machine);
  }
  int first = rank;  // first rank of the node: identifies it
  MPI_Bcast(&first, 1, MPI_INT, 0, comm_);
  std::vector<int> first_of(static_cast<std::size_t>(ranks));
  MPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, comm);

  std::vector<int> firsts = first_of;
  std::ranges::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  ranks_.resize(firsts.size());
  for (u32 r = 0; r < first_of.size(); ++r) {
    const auto node = static_cast<u32>(std::ranges::lower_bound(firsts, first_of[r]) - firsts.begin());
    node_of_.push_back(node);
    place_of_.push_back(static_cast<u32>(ranks_[node].size()));
    ranks_[node].push_back(r);
  }
  own_ = node_of_[static_cast<u32>(rank)];
  place_ = place_of_[static_cast<u32>(rank)];
  MPI_Comm_split(comm, place_ == 0 ? 0 : MPI_UNDEFINED, rank, &firsts_);
}

Nodes::~Nodes() {
  if (firsts_ != MPI_COMM_NULL) MPI_Comm_free(&firsts_);
  MPI_Comm_free(&comm_);
}

u32 Nodes::max_places() const {
  std::size_t most = 0;
  for (const std::vector<u32>& ranks : ranks_) most = std::max(most, ranks.size());
  return static_cast<u32>(most);
}

}  // namespace heddle
