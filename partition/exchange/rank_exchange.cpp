#include "partition/exchange/rank_exchange.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // tells in Open MPI and its derivatives whether it was built with CUDA
#endif

namespace heddle {

bool RankExchange::reaches_device_memory() const {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

void RankExchange::begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) {
  for (std::size_t n = 0; n < neighbours.size(); ++n) messages_.begin_receive(neighbours[n], in[n]);
  for (std::size_t n = 0; n < neighbours.size(); ++n) messages_.begin_send(neighbours[n], out[n].words());
}

void RankExchange::end() { messages_.end(); }

}  // namespace heddle
