// An exchange with one message from every rank to every neighbouring one.
#pragma once

#include "partition/exchange/messages.hpp"
#include "partition/exchange/mpi_exchange.hpp"

namespace heddle {

class RankExchange final : public MpiExchange {
 public:
  RankExchange() : messages_(comm()) {}
  /// Whether this MPI reports to be CUDA-aware.
  bool reaches_device_memory() const override;
  void begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) override;
  void end() override;

 private:
  Messages messages_;
};

}  // namespace heddle
