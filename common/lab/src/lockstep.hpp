// From what each thread did to what each warp did: which lanes ran which instruction together.
//
// The lanes of a warp advance together until a branch separates them. Each group then runs alone up
// to the block at which the branch's paths reconverge (Flow), where the groups become one again.
// GPUs have always worked like this; since Volta they may deviate, but rarely do.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "counters.hpp"
#include "flow.hpp"
#include "record.hpp"
#include "spaces.hpp"
#include "traffic.hpp"

namespace lab {

/// One function call in progress.
struct Frame {
    std::uintptr_t caller;  ///< the call's return address
    SiteId block;           ///< the block that runs
    bool is_kernel;
};

constexpr int kMaxFrames = 24;

/// The calls in progress. Deeper ones are counted but not kept.
struct Frames {
    int depth = 0;
    Frame at[kMaxFrames];

    Frames() = default;
    Frames(const Frames& other) { *this = other; }
    Frames& operator=(const Frames& other);
    bool operator==(const Frames& other) const;

    void push(std::uintptr_t caller, bool is_kernel);
    void pop();
    Frame* top() { return depth > 0 && depth <= kMaxFrames ? &at[depth - 1] : nullptr; }
    const Frame* top() const { return const_cast<Frames*>(this)->top(); }
};

/// What is kept about a warp from one barrier to the next.
struct WarpState {
    Frames common;      ///< of the lanes in `together`
    Frames frames[32];  ///< of the others
    std::uint64_t steps[32];
    std::uint64_t moved[kMoves][32];  ///< bytes, of the lanes below
    std::uint32_t together = 0;
    std::uint32_t lanes = 0;  ///< that have records

    const Frames& frames_of(int lane) const {
        return (together >> lane & 1u) != 0 ? common : frames[lane];
    }
    bool has_same_frames(int one, int other) const {
        if ((together >> one & together >> other & 1u) != 0) return true;
        return frames_of(one) == frames_of(other);
    }
    void set_frames(std::uint32_t mask, const Frames& now);
};

/// The array that follow() has named; no bytes: none.
struct Followed {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
};
extern Followed followed;

class Lockstep {
  public:
    explicit Lockstep(Flow& flow) : flow_(flow) {}

    /// Goes through the records of a warp's lanes (`count` of them), learns and counts, and empties
    /// them.
    void run(WarpState& warp, Record* records, int count, const Spaces& spaces, Counters& counters);

    /// True: a branch's reconvergence point turned out to differ from the one used for counting.
    /// Another worker may have learnt it since.
    bool is_stale() {
        refresh();
        return stale_;
    }
    void forget_stale() { stale_ = false; }

    /// A tool that receives each request as it is counted, or null.
    class Listener {
      public:
        virtual ~Listener() = default;
        virtual void request(SiteId site, const Frames& frames, std::uint32_t mask,
                             const std::uint64_t* address) = 0;
    };
    Listener* listener = nullptr;

  private:
    void learn(WarpState& warp, int lane, const Event* event);
    void add_edge(SiteId from, SiteId to, bool in_kernel);
    void refresh();
    bool is_kernel_entry(SiteId entry);
    std::uint32_t walk(std::uint32_t mask, int stop_depth, SiteId stop);
    void step(std::uint32_t mask, SiteId id, std::size_t event);
    std::size_t same_events(std::uint32_t mask, std::size_t most) const;
    void advance(std::uint32_t mask, std::size_t events);
    void count(std::uint32_t mask, SiteId id, const AccessSite& place, std::size_t event);
    struct LastRequest;
    void count_local(SiteId id, const AccessSite& place, std::uint32_t lanes,
                     std::uint64_t* address, LastRequest& last);
    void count_in(Space space, SiteId id, const AccessSite& place, std::uint32_t lanes,
                  std::uint64_t* address, LastRequest& last);
    void count_moved(int load, int store, Kind kind, std::uint32_t lanes, std::uint32_t bytes);
    void settle_moved(int move);
    static Cost cost(LastRequest& last, Space space, Kind kind, const Request& request);
    void count_turns(SiteId id, Space space, const Request& request, Traffic& traffic);
    SiteId reconvergence_point(SiteId block);
    SiteId from_users_file(SiteId id);
    void pause(std::uint32_t mask);

    Flow& flow_;
    std::uint64_t version_ = 0;
    ReconvergencePoints reconvergence_points_;
    std::vector<SiteId> used_;                      ///< by block: the one used for counting
    std::vector<std::pair<SiteId, SiteId>> known_;  ///< by block: two edges that are known
    std::vector<std::uint8_t> has_access_;          ///< by block: the flow was told
    std::vector<std::uint8_t> is_waited_in_;        ///< the same
    std::vector<std::uint8_t> kernel_entry_;        ///< by site: 1 no, 2 yes
    bool stale_ = false;
    struct Called {
        SiteId site, result;
        std::uintptr_t caller;
    };
    Called called_[256] = {};  ///< results of site_id_from()

    /// The last request of a place, for most places.
    struct LastRequest {
        void renew(SiteId at, std::uint32_t lanes, const std::uint64_t* address);

        SiteId site = kNoSite;
        Space space = Space::local;
        std::uint32_t mask = 0;
        std::uint64_t distance[32] = {};     ///< of each lane's address from that of the first
        std::uint64_t low = 0, high = 0;     ///< the same for the lowest and the highest address
        std::uint32_t bytes = 0, begin = 0;  ///< of the one that had this cost; 0 bytes: none
        Cost cost{};
    };
    static constexpr std::size_t kLastRequests = 64;
    LastRequest last_requests_[kLastRequests];

    /// Bytes that lanes of the warp have moved together and that are not yet in its `moved`.
    struct Moving {
        std::uint32_t lanes = 0;
        std::uint64_t bytes = 0;
    };
    Moving moving_[kMoves];

    const Event* cursor_[32];
    std::size_t events_[32];   ///< from the cursor to the end, which counts as one
    std::uint32_t alike_ = 0;  ///< lanes whose events are all at the same places
    Frames frames_;
    WarpState* warp_ = nullptr;
    const Spaces* spaces_ = nullptr;
    Counters* counters_ = nullptr;
};

}  // namespace lab
