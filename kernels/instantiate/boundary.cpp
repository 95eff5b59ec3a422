// Lists the FIFOs over the cuts of a part, so that both sides number them alike.
#include "kernels/instantiate/instantiate.hpp"

namespace heddle {
namespace {

/// Appends the FIFOs of packets along the links `packets`, then those of pause changes against the links `pauses`.
void append_fifos(const Settings& s, const std::vector<u32>& packets, const std::vector<u32>& pauses,
                  std::vector<CutFifo>& fifos) {
  for (u32 link : packets) {
    for (u32 c = 0; c < s.classes; ++c) fifos.push_back({link, c, 0});
  }
  for (u32 link : pauses) {
    for (u32 p = 0; p < s.pfc_classes; ++p) fifos.push_back({link, p, 1});
  }
}

}  // namespace

void instantiate_boundary(Model& model) {
  View& v = model.view;
  Boundary& b = v.boundary;
  auto& a = model.arrays;
  b.neighbours = static_cast<u32>(model.neighbours.size());
  std::vector<CutFifo> out, in;
  std::vector<u32> first_out = {0}, first_in = {0};
  for (const Neighbour& n : model.neighbours) {
    append_fifos(v.settings, n.out, n.in, out);
    append_fifos(v.settings, n.in, n.out, in);
    first_out.push_back(static_cast<u32>(out.size()));
    first_in.push_back(static_cast<u32>(in.size()));
  }
  a.add_plan(v, b.first_out, "cut: first out", first_out);
  a.add_plan(v, b.out, "cut: out", out);
  a.add_plan(v, b.first_in, "cut: first in", first_in);
  a.add_plan(v, b.in, "cut: in", in);
  a.add<u32>(v, b.shipped, "cut: shipped", StateKind::derived, out.size());
  a.add<u32>(v, b.out_words, "cut: words out", StateKind::derived, out.size() + b.neighbours);
  a.add<u32>(v, b.out_records, "cut: records out", StateKind::derived, out.size() + b.neighbours);
  a.add<u32>(v, b.in_words, "cut: words in", StateKind::derived, in.size() + b.neighbours);
}

}  // namespace heddle
