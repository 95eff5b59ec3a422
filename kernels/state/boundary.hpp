// What a part of a World keeps of its cut links: the FIFOs of which one end lies here and the other in another part.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// A FIFO over a cut. Packets of a class go with the link; pause changes of a PFC class go against it.
struct CutFifo {
  u32 link = 0;   // local number; of a link that comes in: its ghost
  u32 index = 0;  // class of packets, PFC index of pause changes
  u32 pauses = 0;
  HEDDLE_FN u32 words_each() const { return pauses ? 1 : 3; }  // a descriptor is two words, its arrival time one
};

/// Of all neighbours, one after the other. The k-th FIFO out of a part to a neighbour is the k-th in from there.
struct Boundary {
  u32 neighbours = 0;
  const u32* first_out = nullptr;  // [neighbours + 1] into out, shipped
  const CutFifo* out = nullptr;    // what is caused here for others
  u32* shipped = nullptr;          // [of out] position up to which it was collected
  const u32* first_in = nullptr;   // [neighbours + 1] into in
  const CutFifo* in = nullptr;     // what others cause here
  // scratch, [of out or in + neighbours]: each neighbour's has room for a total behind it
  u32* out_words = nullptr;
  u32* out_records = nullptr;
  u32* in_words = nullptr;
};

}  // namespace heddle
