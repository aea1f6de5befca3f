// The control-flow graph as far as threads have taken it, and where branches reconverge.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "access_sites.hpp"

namespace lab {

/// Stands for a function's return in the graph of its blocks.
constexpr SiteId kReturn = 0xffff;

/// For each block the block at which the paths that leave it reconverge: its immediate
/// post-dominator. kReturn: only when the function returns.
using ReconvergencePoints = std::vector<SiteId>;

/// Shared by all workers. Edges are learnt while kernels run.
class Flow {
  public:
    /// Blocks that follow each other in one call of a function; `to` may be kReturn.
    /// `in_kernel`: the function is a kernel, in which a thread that returns has ended.
    void add_edge(SiteId from, SiteId to, bool in_kernel);

    /// Says that this block uses memory.
    void add_access(SiteId block);

    /// Says that threads wait for others in this block.
    void add_wait(SiteId block);

    /// Increases with every new edge.
    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

    /// By block. Post-dominators as in Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
    /// Algorithm", 2001, on the reversed graph.
    ReconvergencePoints reconvergence_points();

    /// What was learnt, by places in the code, for another run of the same program.
    void save(std::FILE* file);
    void load(std::FILE* file);

  private:
    bool only_returns(SiteId block) const;
    bool is_early_return(SiteId from, SiteId to) const;

    std::mutex mutex_;
    std::map<SiteId, std::set<SiteId>> successors_;
    std::set<SiteId> kernel_blocks_, blocks_with_accesses_, waiting_blocks_;
    std::atomic<std::uint64_t> version_{1};
};

}  // namespace lab
