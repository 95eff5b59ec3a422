// The routing policies: one line each. Nothing else in engine, configuration or checks knows them by name.
#pragma once

#include "kernels/routing/adaptive.hpp"
#include "kernels/routing/e_ecmp.hpp"
#include "kernels/routing/ecmp.hpp"
#include "kernels/routing/explicit_paths.hpp"
#include "kernels/routing/flowlet.hpp"
#include "kernels/routing/path_pinning.hpp"
#include "kernels/routing/policy_list.hpp"
#include "kernels/routing/spray.hpp"
#include "kernels/routing/traffic_engineering.hpp"
#include "kernels/routing/weighted.hpp"

namespace heddle {

using RoutingPolicies = PolicyList<  //
    Ecmp,                            //
    EEcmp,                           //
    ExplicitPaths,                   //
    PathPinning,                     //
    Flowlet,                         //
    Spray,                           //
    Adaptive,                        //
    Weighted,                        //
    TrafficEngineering>;

}  // namespace heddle
