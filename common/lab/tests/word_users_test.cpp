// That keeping only a few stamps of a word loses no race: all short histories of accesses and
// barriers, and random longer ones, against vector clocks of every thread and every access.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "order/shadow.hpp"

namespace {

enum class Does { read, write, atomic, sync_warp, sync_threads, sync_grid };

struct Step {
    Does does;
    int block = 0, thread = 0;  ///< of a barrier: a thread of its warp
    std::uint32_t mask = 0;     ///< of an access: bytes; of sync_warp: lanes
};

/// How far apart two threads are: no race, a warp, a block, the grid.
enum Scope { none, warp, block_wide, grid_wide };

constexpr int kBlocks = 2, kWarps = 2, kMaxLanes = 4;
constexpr std::size_t kThreads = kBlocks * kWarps * kMaxLanes;

/// Every access, and for each thread which accesses of each thread it comes after.
class Reference {
  public:
    void begin() {
        for (auto& clock : clocks_) clock.fill(0);
        done_.clear();
    }

    /// The widest scope in which the step races with an access before it.
    Scope step(const Step& now) {
        const std::size_t me = number(now.block, now.thread);
        if (now.does == Does::sync_warp) {
            meet([&](int block, int thread) {
                return block == now.block && thread / 32 == now.thread / 32 &&
                       (now.mask >> thread % 32 & 1u) != 0;
            });
        } else if (now.does == Does::sync_threads) {
            meet([&](int block, int) { return block == now.block; });
        } else if (now.does == Does::sync_grid) {
            meet([](int, int) { return true; });
        } else {
            Scope widest = none;
            for (const Done& each : done_) {
                const bool conflict = (each.does == Does::write || now.does == Does::write ||
                                       (each.does != now.does)) &&
                                      (each.mask & now.mask) != 0;
                if (!conflict || clocks_[me][each.thread] >= each.clock) continue;
                widest = std::max(widest, scope(each.thread, me));
            }
            done_.push_back({now.does, me, ++clocks_[me][me], now.mask});
            return widest;
        }
        return none;
    }

  private:
    struct Done {
        Does does;
        std::size_t thread;
        std::uint32_t clock, mask;
    };
    static std::size_t number(int block, int thread) {
        return static_cast<std::size_t>((block * kWarps + thread / 32) * kMaxLanes + thread % 32);
    }
    static Scope scope(std::size_t one, std::size_t other) {
        if (one / kMaxLanes == other / kMaxLanes) return warp;
        constexpr std::size_t kBlock = kWarps * kMaxLanes;
        return one / kBlock == other / kBlock ? block_wide : grid_wide;
    }
    template <class Comes>
    void meet(Comes comes) {
        std::array<std::uint32_t, kThreads> all{};
        const auto each = [&](auto use) {
            for (int block = 0; block < kBlocks; ++block) {
                for (int thread = 0; thread < kWarps * 32; ++thread) {
                    if (thread % 32 == kMaxLanes) thread += 32 - kMaxLanes;
                    if (thread < kWarps * 32 && comes(block, thread)) {
                        use(clocks_[number(block, thread)]);
                    }
                }
            }
        };
        each([&](auto& clock) {
            for (std::size_t i = 0; i < kThreads; ++i) all[i] = std::max(all[i], clock[i]);
        });
        each([&](auto& clock) { clock = all; });
    }

    std::array<std::array<std::uint32_t, kThreads>, kThreads> clocks_{};
    std::vector<Done> done_;
};

/// What the lab keeps, and how it checks.
class Kept {
  public:
    Kept() : cells_(1) { begin(); }

    /// A new history: nothing is left of the previous one.
    void begin() {
        ++epoch_;
        for (int block = 0; block < kBlocks; ++block) {
            order_.start(clocks_[static_cast<std::size_t>(block)],
                         static_cast<std::uint32_t>(block), (kWarps - 1) * 32 + kMaxLanes);
        }
    }

    Scope step(const Step& now) {
        lab::BlockClock& clock = clocks_[static_cast<std::size_t>(now.block)];
        if (now.does == Does::sync_warp) {
            order_.sync_warp(clock, now.thread / 32, now.mask);
        } else if (now.does == Does::sync_threads) {
            order_.barrier(clock);
        } else if (now.does == Does::sync_grid) {
            for (lab::BlockClock& each : clocks_) order_.barrier(each);
            ++epoch_;
        } else {
            return access(now, clock);
        }
        return none;
    }

  private:
    Scope access(const Step& now, const lab::BlockClock& clock) {
        lab::Cell& cell = cells_[0];
        lab::Stamp made;
        made.epoch = epoch_;
        made.block = clock.block;
        made.interval = clock.interval;
        made.clock = clock.threads[static_cast<std::size_t>(now.thread)].clock;
        made.operation = 1;
        made.user = lab::Stamp::plain_user(static_cast<unsigned>(now.thread), now.mask);
        made.is_atomic = now.does == Does::atomic;
        const auto is_over = [](std::uint32_t) { return true; };
        Scope widest = none;
        const auto look = [&](const lab::Users& users) {
            if (users.epoch != epoch_ || (users.bytes & now.mask) == 0) return;
            const std::uint32_t lanes =
                order_.unordered_lanes(users, users.lanes_of(now.mask), clock, now.thread);
            if (lanes == 0) return;
            widest = std::max(widest, users.block != clock.block             ? grid_wide
                                      : users.thread / 32 != now.thread / 32 ? block_wide
                                                                             : warp);
        };
        cell.each_write([&](const lab::Stamp& each) { look(lab::Users(each)); });
        if (now.does != Does::atomic) cell.each_atomic(look);
        if (now.does != Does::read) cell.each_read(look);
        if (now.does == Does::write) {
            cells_.write(cell, made, is_over);
        } else {
            cells_.keep(cell, made, now.does == Does::read, order_, clock, is_over);
        }
        return widest;
    }

    lab::HappensBefore order_;
    std::array<lab::BlockClock, kBlocks> clocks_;
    lab::Cells cells_;
    std::uint32_t epoch_ = 0;
};

/// Runs histories, each up to its first race.
class Both {
  public:
    /// False: they disagree about a step.
    bool agree(const std::vector<Step>& steps) {
        kept_.begin();
        reference_.begin();
        for (const Step& each : steps) {
            const Scope right = reference_.step(each);
            if (kept_.step(each) != right) return false;
            has_raced_ = right != none;
            if (has_raced_) break;
        }
        return true;
    }
    bool has_raced() const { return has_raced_; }

  private:
    Kept kept_;
    Reference reference_;
    bool has_raced_ = false;
};

}  // namespace

TEST_CASE("all short histories of one word: no race is lost, none is invented") {
    constexpr int kLanes = 2;
    std::vector<Step> all;
    for (int block = 0; block < kBlocks; ++block) {
        for (int first = 0; first < kWarps * 32; first += 32) {
            for (int lane = 0; lane < kLanes; ++lane) {
                for (const Does does : {Does::read, Does::write, Does::atomic}) {
                    all.push_back({does, block, first + lane, 0xf});
                }
            }
            all.push_back({Does::sync_warp, block, first, 3});
        }
        all.push_back({Does::sync_threads, block});
    }
    all.push_back({Does::sync_grid});
    std::size_t histories = 0, wrong = 0;
    Both both;
    std::vector<Step> steps;
    // Threads that have done nothing yet are alike: the first of them represents all.
    const auto go = [&](const auto& self, std::size_t most, int seen) -> void {
        for (const Step& each : all) {
            const bool is_access = each.mask == 0xf;
            const int number = (each.block * kWarps + each.thread / 32) * kLanes + each.thread % 32;
            if (is_access && number > 0 && seen == 0) continue;
            if (!is_access && seen == 0) continue;
            steps.push_back(each);
            ++histories;
            wrong += !both.agree(steps);
            if (!both.has_raced() && steps.size() < most) self(self, most, seen + is_access);
            steps.pop_back();
        }
    };
    go(go, 5, 0);
    CHECK(histories > 300000);
    CHECK(wrong == 0);
}

TEST_CASE("random histories: bytes of a word, barriers of some lanes") {
    std::mt19937 random(1);
    const auto draw = [&](int below) {
        return static_cast<int>(random() % static_cast<unsigned>(below));
    };
    constexpr std::uint32_t kBytes[] = {1, 2, 4, 8, 3, 12, 15};
    Both both;
    int wrong = 0;
    for (int i = 0; i < 100000; ++i) {
        const int lanes = 2 + draw(3), writes = 2 + draw(20);
        const int bytes = draw(4);  // words, any bytes, the lane's own byte, its own half
        std::vector<Step> steps;
        while (steps.size() < 30) {
            const int block = draw(kBlocks), thread = draw(kWarps) * 32 + draw(lanes);
            const int what = draw(12);
            if (what == 0) {
                steps.push_back({Does::sync_grid});
            } else if (what == 1) {
                steps.push_back({Does::sync_threads, block});
            } else if (what < 5) {
                const std::uint32_t mask =
                    (1u << thread % 32) | static_cast<std::uint32_t>(draw(1 << lanes));
                steps.push_back({Does::sync_warp, block, thread, mask});
            } else {
                const int kind = draw(writes);
                steps.push_back({kind == 0   ? Does::write
                                 : kind == 1 ? Does::atomic
                                             : Does::read,
                                 block, thread,
                                 bytes == 0   ? 15u
                                 : bytes == 1 ? kBytes[draw(7)]
                                 : bytes == 2 ? 1u << thread % 4
                                              : 3u << thread % 2 * 2});
            }
        }
        wrong += !both.agree(steps);
    }
    CHECK(wrong == 0);
}
