// Parameters, declared once beside the code that they control: validation, --set, the reference page and the resolved
// configuration all come from these tables. The default is the field's own initialiser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/member.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The kind of a number, which decides the units that a configuration may write it in ("0.5 us", "64 MiB", "400 Gb/s").
enum class Quantity : u8 {
  none,         // plain number, flag or word
  time_ps,      // ps ns us ms s
  bytes,        // B KB MB GB KiB MiB GiB
  bits_per_s,   // Mb/s Gb/s Tb/s
  bytes_per_s,  // MB/s GB/s TB/s
  ratio,        // plain real number (stored as double; the code that uses it converts it to fixed point)
};

/// The member of an options struct that a parameter sets. As a std::variant it took 1.4 s of compiling in every file
/// that sees all tables.
template <class Options>
class ParameterField {
 public:
  constexpr ParameterField(bool Options::*member) : kind_(Kind::flag), member_{.flag = member} {}
  constexpr ParameterField(u32 Options::*member) : kind_(Kind::number_32), member_{.number_32 = member} {}
  constexpr ParameterField(u64 Options::*member) : kind_(Kind::number_64), member_{.number_64 = member} {}
  constexpr ParameterField(i64 Options::*member) : kind_(Kind::signed_64), member_{.signed_64 = member} {}
  constexpr ParameterField(double Options::*member) : kind_(Kind::real), member_{.real = member} {}
  constexpr ParameterField(std::string Options::*member) : kind_(Kind::text), member_{.text = member} {}
  constexpr ParameterField(std::vector<u64> Options::*member) : kind_(Kind::numbers), member_{.numbers = member} {}
  constexpr ParameterField(std::vector<std::string> Options::*member) : kind_(Kind::texts), member_{.texts = member} {}

  bool is_flag() const { return kind_ == Kind::flag; }

  /// f(pointer to member).
  template <class F>
  auto visit(const F& f) const {
    switch (kind_) {
      case Kind::flag:
        return f(member_.flag);
      case Kind::number_32:
        return f(member_.number_32);
      case Kind::number_64:
        return f(member_.number_64);
      case Kind::signed_64:
        return f(member_.signed_64);
      case Kind::real:
        return f(member_.real);
      case Kind::text:
        return f(member_.text);
      case Kind::numbers:
        return f(member_.numbers);
      case Kind::texts:
        break;
    }
    return f(member_.texts);
  }

 private:
  enum class Kind : u8 { flag, number_32, number_64, signed_64, real, text, numbers, texts };

  Kind kind_;
  union Member {
    MemberOf<Options, bool> flag;
    MemberOf<Options, u32> number_32;
    MemberOf<Options, u64> number_64;
    MemberOf<Options, i64> signed_64;
    MemberOf<Options, double> real;
    MemberOf<Options, std::string> text;
    MemberOf<Options, std::vector<u64>> numbers;
    MemberOf<Options, std::vector<std::string>> texts;
  } member_;
};

/// One parameter of an options struct.
template <class Options>
struct Parameter {
  std::string_view key;  // as in the configuration file, inside its section
  ParameterField<Options> field;
  Quantity quantity = Quantity::none;
  double min = 0, max = 9.2e18;   // inclusive, in the field's unit; numbers only
  std::string_view choices = {};  // words only: "ecmp|e_ecmp|explicit"
  std::string_view help;          // one line
  std::string_view source;        // where the default comes from
  std::string_view only_with =
      {};  // "kind=star|hpcc": means something only when that word, flag or fact of its section is one of these
};

}  // namespace heddle
