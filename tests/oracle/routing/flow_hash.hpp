// The hash of a packet's flow at a switch (MODEL.md, 7.2), bit by bit.
#pragma once

#include <vector>

#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {

/// The parameters of a cyclic redundancy check as the catalogues give them.
struct Crc {
  u32 width, polynomial, init;
  bool reflect_in, reflect_out;
  u32 xor_out;
};

/// Returns the parameters of a chip's function; not for `ideal` and `xor16`.
Crc crc_of(HashFunction function);

/// Computes the CRC of bytes by long division; `seed` is XORed into the initial register.
u32 crc(const Crc& crc, const std::vector<u8>& bytes, u32 seed);

/// XOR of the halfwords and of the low half of the seed.
u32 xor16(const std::vector<u8>& bytes, u32 seed);

}  // namespace heddle::oracle
