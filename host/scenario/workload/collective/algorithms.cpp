#include "host/scenario/workload/collective/algorithms.hpp"

#include <array>

namespace heddle {
namespace {

using enum CollectiveKind;
constexpr CollectiveKind kRings[] = {all_reduce, all_gather, reduce_scatter, barrier}, kTrees[] = {all_reduce, barrier},
                         kNvls[] = {all_reduce}, kBroadcast[] = {broadcast}, kReduce[] = {reduce},
                         kAllToAll[] = {all_to_all}, kAllToAllV[] = {all_to_all_v}, kGather[] = {gather},
                         kScatter[] = {scatter, send}, kSendRecv[] = {send_recv},
                         kHierarchical[] = {all_reduce, all_gather, reduce_scatter, all_to_all},
                         kHalvingDoubling[] = {all_reduce, all_gather, reduce_scatter}, kTokens[] = {dispatch, combine};

// A composed collective has no channel ends of its own: its stages have.
void add_no_channel_ends(const JobBuilder&) {}
SliceCut cut_nothing(const CutInput&) { return {}; }
void count_nothing(const JobOptions&, u64, bool, WorkloadCounts&) {}

constexpr std::array kLayouts = {
    Layout{Algorithm::ring, kRings, add_ring_channel_ends, cut_rings, count_rings},
    Layout{Algorithm::tree, kTrees, add_tree_channel_ends, cut_trees, count_trees},
    Layout{Algorithm::nvls, kNvls, add_nvls_channel_ends, cut_nvls, count_nvls},
    Layout{Algorithm::ring, kBroadcast, add_broadcast_channel_ends, cut_chains, count_broadcast},
    Layout{Algorithm::ring, kReduce, add_reduce_channel_ends, cut_chains, count_reduce},
    Layout{Algorithm::p2p, kAllToAll, add_all_to_all_channel_ends, cut_point_to_point, count_all_to_all},
    Layout{Algorithm::p2p, kAllToAllV, add_all_to_all_v_channel_ends, cut_point_to_point, count_all_to_all_v},
    Layout{Algorithm::p2p, kGather, add_gather_channel_ends, cut_point_to_point, count_rooted},
    Layout{Algorithm::p2p, kScatter, add_scatter_channel_ends, cut_point_to_point, count_rooted},
    Layout{Algorithm::p2p, kSendRecv, add_send_recv_channel_ends, cut_point_to_point, count_send_recv},
    Layout{Algorithm::hierarchical, kHierarchical, add_no_channel_ends, cut_nothing, count_nothing,
           hierarchical_stages},
    Layout{Algorithm::halving_doubling, kHalvingDoubling, add_no_channel_ends, cut_nothing, count_nothing,
           halving_doubling_stages},
    Layout{Algorithm::hierarchical, kTokens, add_no_channel_ends, cut_nothing, count_nothing, token_stages},
};

}  // namespace

std::span<const Layout> layouts() { return kLayouts; }

}  // namespace heddle
