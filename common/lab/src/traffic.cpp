#include "traffic.hpp"

#include <algorithm>

namespace lab {
namespace {

constexpr std::uint32_t kSectorBytes = 32;
constexpr std::uint32_t kBanks = 32;
constexpr std::uint32_t kBankBytes = 4;

/// The addresses of the mask's lanes, in order and each once. Returns how many.
int distinct(const Request& request, std::uint32_t mask, std::uint64_t* sorted) {
    int count = 0;
    bool ordered = true;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = request.address[__builtin_ctz(rest)];
        if (count != 0) {
            if (address == sorted[count - 1]) continue;
            ordered = ordered && address > sorted[count - 1];
        }
        sorted[count++] = address;
    }
    if (!ordered) {
        std::sort(sorted, sorted + count);
        count = static_cast<int>(std::unique(sorted, sorted + count) - sorted);
    }
    return count;
}

/// Bytes that sorted addresses cover, each counted once.
std::uint32_t covered(const std::uint64_t* sorted, int count, std::uint32_t bytes) {
    std::uint32_t sum = 0;
    std::uint64_t end = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t begin = std::max(sorted[i], end);
        end = sorted[i] + bytes;
        sum += static_cast<std::uint32_t>(end - begin);
    }
    return sum;
}

std::uint32_t up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit; }

/// Passes that the words of some lanes take: the most different words in one bank.
std::uint32_t passes(const Request& request, std::uint32_t mask) {
    std::uint64_t sorted[32];
    const int count = distinct(request, mask, sorted);
    std::uint8_t in_bank[kBanks] = {};
    std::uint32_t most = 0;
    std::uint64_t last = ~std::uint64_t{0};
    for (int i = 0; i < count; ++i) {
        const std::uint64_t first_word = sorted[i] / kBankBytes;
        const std::uint64_t last_word = (sorted[i] + request.bytes - 1) / kBankBytes;
        for (std::uint64_t word = first_word; word <= last_word; ++word) {
            if (word == last) continue;  // sorted, so equal words are adjacent
            last = word;
            most = std::max<std::uint32_t>(most, ++in_bank[word % kBanks]);
        }
    }
    return most;
}

/// Whether each lane uses the same address as the one `apart` from it, or one of the two uses none.
bool is_in_pairs(const Request& request, std::uint32_t apart) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t other = lane ^ apart;
        const bool both = (request.mask >> lane & request.mask >> other & 1u) != 0;
        if (both && request.address[lane] != request.address[other]) return false;
    }
    return true;
}

/// Lanes that are served together: the whole warp, half of it, or a quarter.
std::uint32_t lanes_together(const Request& request) {
    if (request.bytes <= 4) return 32;
    const std::uint32_t lanes = request.bytes == 8 ? 16 : 8;
    const bool is_paired = request.is_load && (is_in_pairs(request, 1) || is_in_pairs(request, 2));
    return is_paired ? 2 * lanes : lanes;
}

std::uint32_t part(std::uint32_t mask, std::uint32_t first, std::uint32_t lanes) {
    const std::uint32_t all = lanes == 32 ? ~0u : (1u << lanes) - 1u;
    return mask & all << first;
}

}  // namespace

Cost sectors(const Request& request) {
    std::uint64_t sorted[32];
    const int count = distinct(request, request.mask, sorted);
    std::uint32_t touched = 0;
    std::uint64_t next = 0;  // sectors below this are already counted
    for (int i = 0; i < count; ++i) {
        const std::uint64_t first = std::max(sorted[i] / kSectorBytes, next);
        const std::uint64_t last = (sorted[i] + request.bytes - 1) / kSectorBytes;
        if (last + 1 > first) touched += static_cast<std::uint32_t>(last + 1 - first);
        next = std::max(next, last + 1);
    }
    return {touched, up(covered(sorted, count, request.bytes), kSectorBytes)};
}

Cost wavefronts(const Request& request) {
    const std::uint32_t together = lanes_together(request);
    Cost cost{0, 0};
    for (std::uint32_t first = 0; first < 32; first += together) {
        const std::uint32_t lanes = part(request.mask, first, together);
        if (lanes == 0) continue;
        cost.actual += passes(request, lanes);
        ++cost.least;
    }
    return cost;
}

Cost constant_words(const Request& request) {
    std::uint64_t sorted[32];
    return {static_cast<std::uint32_t>(distinct(request, request.mask, sorted)), 1};
}

std::uint32_t turns(const Request& request) {
    // At most half full, so that each address, or a place for it, is found at once.
    constexpr std::uint32_t kPlaces = 64;
    std::uint64_t address[kPlaces];
    std::uint8_t count[kPlaces] = {};
    std::uint32_t most = 0;
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t mine = request.address[__builtin_ctz(rest)];
        std::uint32_t place = static_cast<std::uint32_t>(mine / kBankBytes) % kPlaces;
        while (count[place] != 0 && address[place] != mine) place = (place + 1) % kPlaces;
        address[place] = mine;
        most = std::max<std::uint32_t>(most, ++count[place]);
    }
    return most;
}

Cost atomic_wavefronts(const Request& request) {
    std::uint8_t in_bank[kBanks] = {};
    std::uint32_t most = 0;
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t word = request.address[__builtin_ctz(rest)] / kBankBytes;
        most = std::max<std::uint32_t>(most, ++in_bank[word % kBanks]);
    }
    return {most, 1};
}

}  // namespace lab
