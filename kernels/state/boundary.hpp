// State of the cut links of a part of a World: FIFOs with one end in this part and the other in another part.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// A FIFO over a cut. Packets of a class travel with the link; pause changes of a PFC class travel against it.
struct CutFifo {
  u32 link = 0;   // local number; for an incoming link that of its ghost
  u32 index = 0;  // class of packets, PFC index of pause changes
  u32 pauses = 0;
  HEDDLE_FN u32 words_each() const { return pauses ? 1 : 3; }  // a descriptor is two words, its arrival time one
};

/// FIFOs of all neighbours, one after the other. The k-th FIFO out of a part to a neighbour is the k-th in from it.
struct Boundary {
  u32 neighbours = 0;
  const u32* first_out = nullptr;  // [neighbours + 1] into out, shipped
  const CutFifo* out = nullptr;    // FIFOs that this part produces
  u32* shipped = nullptr;          // [of out] position up to which it was collected
  const u32* first_in = nullptr;   // [neighbours + 1] into in
  const CutFifo* in = nullptr;     // FIFOs that other parts produce
  // Scratch, [of out or in + neighbours]: each neighbour's range has room for a total at its end.
  u32* out_words = nullptr;
  u32* out_records = nullptr;
  u32* in_words = nullptr;
};

}  // namespace heddle
