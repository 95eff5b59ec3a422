#include "io/formats/chakra_file.hpp"

#include <fmt/format.h>

#include "io/error.hpp"
#include "io/ordinary_file.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxMessageBytes = 64 << 20;

std::string read_bytes(const std::string& path) {
  OrdinaryFile file(path);
  std::optional<std::string> bytes = file.read_all(kMaxTextBytes);
  if (!bytes) throw InputError(fmt::format("cannot read '{}': {}", path, file.problem()));
  return *std::move(bytes);
}

/// Messages one behind the other, each behind its length as a varint.
class Messages {
 public:
  explicit Messages(const std::string& path) : path_(path), bytes_(read_bytes(path)) {}

  bool at_end() const { return at_ == bytes_.size(); }

  /// The next message as one of this type.
  template <class Message>
  Message take(std::string_view what) {
    const size_t begin = at_;
    const u64 length = take_length(what);
    if (length > bytes_.size() - at_) {
      fail(begin,
           fmt::format("{} should be {} B long, but the file ends after {} of them; it was cut, or is no Chakra trace",
                       what, length, bytes_.size() - at_));
    }
    if (length > kMaxMessageBytes) {
      fail(begin, fmt::format("{} would be {} B long, more than any is; the file is damaged, or no Chakra trace", what,
                              length));
    }
    Message message;
    if (!message.ParseFromArray(bytes_.data() + at_, static_cast<int>(length)))
      fail(begin, fmt::format("{} is no protobuf message of Chakra's; the file is damaged, or no Chakra trace", what));
    at_ += length;
    return message;
  }

  [[noreturn]] void fail(size_t at, const std::string& problem) const {
    throw InputError(fmt::format("{}: at byte {}: {}", path_, at, problem));
  }

 private:
  u64 take_length(std::string_view what) {
    u64 length = 0;
    for (size_t i = 0; i < 10 && at_ + i < bytes_.size(); ++i) {
      const u64 byte = static_cast<unsigned char>(bytes_[at_ + i]);
      if (i == 9 && byte > 1) break;
      length |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        at_ += i + 1;
        return length;
      }
    }
    fail(at_, fmt::format("the length of {} is cut or malformed; the file is damaged, or no Chakra trace", what));
  }

  const std::string& path_;
  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace

std::string place_of_node(const std::string& path, const chakra::Node& node) {
  return fmt::format("{}: node {} '{}'", path, node.id(), excerpt(node.name()));
}

void fail_at_node(const std::string& path, const chakra::Node& node, std::string_view problem) {
  throw InputError(fmt::format("{}: {}", place_of_node(path, node), problem));
}

std::vector<chakra::Node> read_chakra_nodes(const std::string& path) {
  Messages messages(path);
  if (messages.at_end()) messages.fail(0, "the file is empty; a Chakra trace begins with GlobalMetadata");
  const auto metadata = messages.take<chakra::GlobalMetadata>("GlobalMetadata, the first message,");
  if (metadata.type_of_node() != 0) {
    messages.fail(0,
                  "the first message is a node, not GlobalMetadata; the file is older than Chakra's schema of today: "
                  "convert it again");
  }
  std::vector<chakra::Node> nodes;
  while (!messages.at_end())
    nodes.push_back(messages.take<chakra::Node>(fmt::format("node {} of the file", nodes.size() + 1)));
  return nodes;
}

const chakra::Attribute* NodeAttributes::find(std::string_view name) const {
  for (const chakra::Attribute& attribute : node_.attr()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

void NodeAttributes::fail(std::string_view name, std::string_view problem) const {
  fail_at_node(path_, node_, fmt::format("{} {}", name, problem));
}

std::optional<u64> NodeAttributes::number(std::string_view name, u64 most) const {
  const chakra::Attribute* a = find(name);
  if (a == nullptr) return std::nullopt;
  i64 value = 0;
  using Of = chakra::Attribute;
  switch (a->value_case()) {
    case Of::kInt32Val:
      value = a->int32_val();
      break;
    case Of::kInt64Val:
      value = a->int64_val();
      break;
    case Of::kUint32Val:
      value = a->uint32_val();
      break;
    case Of::kUint64Val:
      value = static_cast<i64>(a->uint64_val());
      break;
    case Of::kSint32Val:
      value = a->sint32_val();
      break;
    case Of::kSint64Val:
      value = a->sint64_val();
      break;
    case Of::kFixed32Val:
      value = a->fixed32_val();
      break;
    case Of::kFixed64Val:
      value = static_cast<i64>(a->fixed64_val());
      break;
    case Of::kSfixed32Val:
      value = a->sfixed32_val();
      break;
    case Of::kSfixed64Val:
      value = a->sfixed64_val();
      break;
    default:
      fail(name, "is no whole number; Chakra writes it as int64_val or uint64_val");
  }
  if (value < 0 || static_cast<u64>(value) > most)
    fail(name, fmt::format("is {}, outside the range 0 to {}", value, most));
  return static_cast<u64>(value);
}

u64 NodeAttributes::needed_number(std::string_view name, u64 most) const {
  const std::optional<u64> value = number(name, most);
  if (!value) fail(name, "is missing; a node of this type has it");
  return *value;
}

bool NodeAttributes::flag(std::string_view name) const {
  const chakra::Attribute* a = find(name);
  if (a == nullptr) return false;
  if (a->value_case() == chakra::Attribute::kBoolVal) return a->bool_val();
  return *number(name, 1) != 0;
}

std::string NodeAttributes::text(std::string_view name) const {
  const chakra::Attribute* a = find(name);
  if (a == nullptr) return "";
  if (a->value_case() == chakra::Attribute::kStringVal) return a->string_val();
  return std::to_string(*number(name, ~u64{0} >> 1));
}

bool NodeAttributes::all_set(std::string_view name) const {
  const chakra::Attribute* a = find(name);
  if (a == nullptr) return true;
  if (a->value_case() != chakra::Attribute::kBoolList) fail(name, "is no list of flags; Chakra writes it as bool_list");
  for (const bool value : a->bool_list().values()) {
    if (!value) return false;
  }
  return true;
}

}  // namespace heddle
