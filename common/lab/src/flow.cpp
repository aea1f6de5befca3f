#include "flow.hpp"

#include <algorithm>
#include <functional>

namespace lab {

void Flow::add_edge(SiteId from, SiteId to, bool in_kernel) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (in_kernel) kernel_blocks_.insert(from);
    if (successors_[from].insert(to).second) version_.fetch_add(1, std::memory_order_release);
}

void Flow::add_access(SiteId block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (blocks_with_accesses_.insert(block).second) {
        version_.fetch_add(1, std::memory_order_release);
    }
}

void Flow::add_wait(SiteId block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiting_blocks_.insert(block).second) version_.fetch_add(1, std::memory_order_release);
}

void Flow::save(std::FILE* file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto place = [](SiteId block) {
        return block == kReturn ? 0ul : static_cast<unsigned long>(site(block).pc - code_begin());
    };
    for (const auto& [from, all] : successors_) {
        const int in_kernel = kernel_blocks_.count(from) != 0 ? 1 : 0;
        for (const SiteId to : all) {
            std::fprintf(file, "edge %lu %lu %d\n", place(from), place(to), in_kernel);
        }
    }
    for (const SiteId block : blocks_with_accesses_) {
        std::fprintf(file, "access %lu 0 0\n", place(block));
    }
    for (const SiteId block : waiting_blocks_) std::fprintf(file, "wait %lu 0 0\n", place(block));
}

void Flow::load(std::FILE* file) {
    const auto block_at = [](unsigned long place) {
        return place == 0 ? kReturn
                          : site_id(reinterpret_cast<const void*>(code_begin() + place),
                                    Kind::block, 0, {});
    };
    char what[8];
    unsigned long one = 0, other = 0;
    int in_kernel = 0;
    while (std::fscanf(file, "%7s %lu %lu %d", what, &one, &other, &in_kernel) == 4) {
        switch (what[0]) {
            case 'e':
                add_edge(block_at(one), block_at(other), in_kernel != 0);
                break;
            case 'a':
                add_access(block_at(one));
                break;
            default:
                add_wait(block_at(one));
        }
    }
}

bool Flow::only_returns(SiteId block) const {
    if (block == kReturn) return true;
    const auto at = successors_.find(block);
    return at != successors_.end() && at->second.size() == 1 && *at->second.begin() == kReturn &&
           blocks_with_accesses_.count(block) == 0;
}

/// A thread that leaves a kernel early executes nothing more, so no lane waits for it: such an edge
/// is left out. "Early" means that the block's other paths reach the end without this edge.
bool Flow::is_early_return(SiteId from, SiteId to) const {
    if (kernel_blocks_.count(from) == 0 || !only_returns(to)) return false;
    std::set<SiteId> seen{from};
    std::vector<SiteId> open;
    for (const SiteId other : successors_.at(from)) {
        if (!only_returns(other)) open.push_back(other);
    }
    while (!open.empty()) {
        const SiteId block = open.back();
        open.pop_back();
        if (block == kReturn) return true;
        const auto at = successors_.find(block);
        if (!seen.insert(block).second || at == successors_.end()) continue;
        open.insert(open.end(), at->second.begin(), at->second.end());
    }
    return false;
}

ReconvergencePoints Flow::reconvergence_points() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::map<SiteId, std::vector<SiteId>> next, previous;
    for (const auto& [from, all] : successors_) {
        for (const SiteId to : all) {
            if (is_early_return(from, to)) continue;
            next[from].push_back(to);
            previous[to].push_back(from);
        }
    }
    // Perhaps no thread has reached the end yet, because all wait at a barrier: that barrier then
    // stands for the end.
    std::set<SiteId> ends;
    std::vector<SiteId> open{kReturn};
    while (!open.empty()) {
        const SiteId block = open.back();
        open.pop_back();
        if (ends.insert(block).second) {
            open.insert(open.end(), previous[block].begin(), previous[block].end());
        }
    }
    for (const SiteId block : waiting_blocks_) {
        if (ends.count(block) != 0) continue;
        next[block].push_back(kReturn);
        previous[kReturn].push_back(block);
    }
    // Blocks in post-order of the reversed graph, from the return.
    std::map<SiteId, int> number;
    std::vector<SiteId> order;
    std::set<SiteId> seen;
    std::vector<std::pair<SiteId, std::size_t>> path{{kReturn, 0}};
    seen.insert(kReturn);
    while (!path.empty()) {
        auto& [block, done] = path.back();
        const std::vector<SiteId>& from = previous[block];
        if (done < from.size()) {
            const SiteId following = from[done++];
            if (seen.insert(following).second) path.emplace_back(following, 0);
        } else {
            number[block] = static_cast<int>(order.size());
            order.push_back(block);
            path.pop_back();
        }
    }
    std::map<SiteId, SiteId> dominator;
    dominator[kReturn] = kReturn;
    const auto meet = [&](SiteId a, SiteId b) {
        while (a != b) {
            while (number[a] < number[b]) a = dominator[a];
            while (number[b] < number[a]) b = dominator[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            if (*at == kReturn) continue;
            bool first = true;
            SiteId best = kReturn;
            for (const SiteId to : next[*at]) {
                if (dominator.find(to) == dominator.end()) continue;
                best = first ? to : meet(best, to);
                first = false;
            }
            const auto known = dominator.find(*at);
            if (!first && (known == dominator.end() || known->second != best)) {
                dominator[*at] = best;
                changed = true;
            }
        }
    }
    ReconvergencePoints result(site_count(), kReturn);
    for (const auto& [block, point] : dominator) {
        if (block != kReturn && block < result.size()) result[block] = point;
    }
    return result;
}

}  // namespace lab
