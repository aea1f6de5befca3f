// How halo cuts n keys into blocks: which window each block holds, and how far the windows overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "window.cuh"

namespace bubble {

/// How halo cuts n keys into windows.
struct HaloShape {
    int keys;       // of a thread; they name the window
    int refreshes;  // of the seams, from one exchange to the next; at least 2: see halo_kernel
    int margin;     // groups at either end of a window that a neighbour block owns
    int own;        // groups between them
    int blocks;
};

/// The windows that halo chooses from. More keys a thread mean fewer blocks and fewer shuffles, but
/// longer half-steps.
using HaloWindows = std::tuple<Window<12, 6, 36>, Window<14, 4, 28>, Window<18, 3, 27>,
                               Window<22, 2, 22>, Window<40, 2, 10>, Window<72, 1, 4>>;

/// Calls use(window) for each of them, or of others.
template <class Windows = HaloWindows, class Use>
void for_each_window(const Use& use) {
    std::apply([&](auto... window) { (use(window), ...); }, Windows{});
}

/// What a half-step costs in clocks, roughly: to choose among shapes that all sort, and for models.
/// Frequent exchanges cost more, so margins are as wide as they can be.
template <class Window>
double half_step_clocks(const HaloShape& shape) {
    constexpr double kKeys = 1.0 * Window::kKeys * Window::kWarps / kBlockWarps;  // a scheduler's
    const double clocks = std::max(20.0, 2 + 1.5 * kKeys) + 200.0 / Window::kInterval;
    return shape.blocks == 1 ? clocks : clocks + 1100.0 / (shape.margin * Window::kKeys);
}

/// The same for whichever window the shape has.
inline double half_step_clocks(const HaloShape& shape) {
    double clocks = 0.0;
    for_each_window([&](auto window) {
        if (window.kKeys == shape.keys) clocks = half_step_clocks<decltype(window)>(shape);
    });
    return clocks;
}

/// The shape with the least cost; blocks = 0 if n keys do not fit into the registers of so many
/// multiprocessors.
template <class Windows = HaloWindows>
HaloShape choose_halo(unsigned n, int multiprocessors) {
    HaloShape best = {};
    double least = 0.0;
    for_each_window<Windows>([&](auto window) {
        using W = decltype(window);
        HaloShape shape = {W::kKeys, 1, 1, W::kGroups - 2, 1};
        if (n > static_cast<unsigned>(shape.own * W::kKeys)) {
            // A block's neighbours must not reach each other: own >= 2 * margin.
            for (int refreshes = W::kGroups / (4 * W::kOverlap); refreshes > 1; --refreshes) {
                const int margin = refreshes * W::kOverlap;
                const int own = W::kGroups - 2 * margin;
                const int blocks = (static_cast<int>(n) - 1) / (own * W::kKeys) + 1;
                shape = {W::kKeys, refreshes, margin, own, blocks};
                if (blocks <= multiprocessors) break;
            }
            if (shape.blocks == 1 || shape.blocks > multiprocessors) return;
        }
        const double cost = half_step_clocks<W>(shape);
        if (best.blocks == 0 || cost < least) {
            best = shape;
            least = cost;
        }
    });
    return best;
}

constexpr int kMailboxBuffers = 2;

/// Words of all mailboxes, all buffers. At most 2 n: 2 * margin <= own, and (blocks - 1) * own *
/// keys < n.
inline std::size_t mailbox_words(const HaloShape& shape) {
    const int stride = (shape.own + 2 * shape.margin) / 2;  // the window's kMailStride
    return std::size_t{kMailboxBuffers} * (shape.blocks - 1) * stride * shape.keys;
}

}  // namespace bubble
