// The time of the odd-even sort on several GPUs, by counting, and how wide its margins should be.
// Host code without MPI or NCCL, so that the chapter's tests can try it anywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "../common/harness/multi_gpu/links.hpp"

namespace tutorial {

/// All ranks do the same number of half-steps between two exchanges: a multiple of this, which is
/// enough for the blocks of persistent_kernel to exchange their margins as well.
constexpr unsigned kStepsUnit = 720;

/// Margins are no wider than this: more half-steps per launch save next to nothing.
constexpr unsigned kMaxSteps = 40 * kStepsUnit;

/// Seconds of a round without its half-steps and its message, roughly: clearing the mailboxes, a
/// launch, loading and storing the keys.
constexpr double kLaunchSeconds = 10e-6;

/// Ranks that hold keys: one with only a few would only wait for its neighbours' margins.
inline int ranks_with_keys(double n, int ranks) {
    constexpr double kMinShare = 128;
    return static_cast<int>(std::clamp(std::floor(n / kMinShare), 1.0, double(ranks)));
}

/// Rounds: a message to each neighbour, and as many half-steps as the margins are wide.
struct HaloModel {
    Links links;
    std::function<double(double keys)> half_step_seconds;  ///< of that many keys on one GPU

    /// `ranks` ranks hold n keys; `steps` half-steps between two exchanges. All wait for the rank
    /// with the most keys: one with two neighbours, if there is any.
    Prediction predict(int ranks, double n, unsigned steps) const {
        const double margins = std::min(ranks - 1, 2) * double(steps);
        const double rounds = std::max(1.0, std::ceil(n / steps));
        const double message = ranks > 1 ? links.message_seconds(steps * 4.0) : 0.0;
        const double half_steps = steps * half_step_seconds(n / ranks + margins);
        return {rounds * (kLaunchSeconds + half_steps), rounds * message};
    }

    /// Wider margins: fewer exchanges, but more keys that two ranks hold. The best compromise.
    unsigned best_steps(int ranks, double n) const {
        if (ranks == 1) return std::max(2u, (static_cast<unsigned>(n) + 1) / 2 * 2);
        // A margin holds keys of one neighbour, so no more than the smallest share contains.
        const double share = std::floor(n / ranks) - 2;
        const auto most = static_cast<unsigned>(std::min<double>(share, kMaxSteps));
        unsigned best = std::min(most / 2 * 2, kStepsUnit);
        for (unsigned steps = 2 * kStepsUnit; steps <= most; steps += kStepsUnit) {
            if (predict(ranks, n, steps).seconds() < predict(ranks, n, best).seconds()) {
                best = steps;
            }
        }
        return best;
    }
};

}  // namespace tutorial
