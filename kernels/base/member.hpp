// Pointers to members as nvcc's host pass can write them: it puts parentheses into a declaration `T O::*m`, of which
// g++ warns.
#pragma once

namespace heddle {

template <class Object, class T>
using MemberOf = T Object::*;

}  // namespace heddle
