// The odd-even sort on several GPUs: halos, one level higher. Each GPU keeps a segment of the keys
// and a margin of its neighbours'; it does as many half-steps as the margin is wide, and then
// copies its margins again from the neighbours, where they are right.
//
// You will learn: that the same temporal blocking works between warps, blocks and GPUs; and how a
// cost model chooses how wide a margin should be.
//
//   ./tutorial run ch01 --gpus 2            (without GPUs: two processes of the emulator)
//   mpirun -n 2 build/cuda/bin/ch01_bubble_multi_gpu_cuda --n 2^20 --estimate
#include "../common/harness/chapter.hpp"
#include "../common/harness/multi_gpu/multi_gpu.hpp"

#include "../common/harness/multi_gpu/nccl_check.hpp"
#include "../common/harness/multi_gpu/part_input.hpp"

#include "halo_model.hpp"

#define main one_gpu_main
#include "main.cu"
#undef main

namespace {

/// Half-steps from one refresh of the seams to the next.
int interval_of(const HaloShape& shape) {
    int interval = 0;
    for_each_window([&](auto window) {
        if (window.kKeys == shape.keys) interval = window.kInterval;
    });
    return interval;
}

/// Clocks of a half-step with this shape, as choose_shape() weighs them.
double clocks_of(const HaloShape& shape) {
    double clocks = 0.0;
    for_each_window([&](auto window) {
        if (window.kKeys == shape.keys) clocks = half_step_clocks<decltype(window)>(shape);
    });
    return clocks;
}

/// Half-steps 0 .. steps - 1 of the keys, which stay in registers throughout; `steps` is even. The
/// keys at the ends are treated as if there were none beyond them.
template <class Key>
void sort_partly(Key* keys, unsigned n, void* scratch, unsigned steps) {
    if (n < 2) return;
    HaloShape shape = {};
    if (steps >= kStepsUnit) shape = choose_shape(n, device_info().sm_count);
    if (shape.blocks > 0) {
        // A block may store its keys only after its neighbours have sent to it at least once.
        const int interval = interval_of(shape);
        shape.refreshes = std::min(shape.refreshes, static_cast<int>(steps) / (2 * interval));
        launch_persistent(keys, n, scratch, shape, steps);
        return;
    }
    // Too many keys for the registers, or too few half-steps: one launch for each.
    for (unsigned step = 0; step < steps; ++step) {
        grid_kernel<<<divide_up(n / 2, kGridThreads), kGridThreads>>>(keys, n, step % 2);
        CUDA_CHECK_LAUNCH();
    }
}

template <class Key>
class MultiGpuBubble : public MultiGpuExperiment {
  public:
    MultiGpuBubble(const MultiGpuOptions& options, Ranks& ranks)
        : options_(options), ranks_(ranks), n_(static_cast<unsigned>(options.n)) {
        active_ = ranks_with_keys(n_, ranks.size());
        // Shares begin at even places, so that half-step 0 compares the same pairs everywhere.
        if (ranks.rank() < active_) share_ = share_of(options.n, ranks.rank(), active_, 2);
        const std::size_t min_share = share_of(options.n, active_ - 1, active_, 2).count;
        max_margin_ = active_ == 1 ? 0 : std::min<std::size_t>(min_share, kMaxSteps);
    }

    std::size_t device_bytes() const override {
        const std::size_t longest = std::max<std::size_t>(n_, share_.count + 2 * max_margin_);
        return 3 * longest * sizeof(Key) + scratch_bytes(longest);
    }

    void prepare() override {
        fits_one_ = n_ < 2 || choose_shape(n_, device_info().sm_count).blocks > 0;
        alone_ = fits_one_ ? Share{0, n_} : share_;
        const auto part = [&](Share share) {
            return make_part<Key>(options_.input, n_, options_.seed, share);
        };
        const std::vector<Key> keys = part(share_);
        const std::vector<Key> alone_keys = part(alone_);
        in_checksum_ = checksum(keys);
        alone_expected_ = sorted_copy(alone_keys);
        d_input_ = DeviceBuffer<Key>(keys.size());
        d_input_.upload(keys);
        d_alone_input_ = DeviceBuffer<Key>(alone_keys.size());
        d_alone_input_.upload(alone_keys);
        d_alone_ = DeviceBuffer<Key>(alone_keys.size());
        d_keys_ = DeviceBuffer<Key>(share_.count + 2 * max_margin_);
        d_scratch_ = DeviceBuffer<char>(scratch_bytes(std::max(d_keys_.size(), d_alone_.size())));
    }

    void share_facts(const Links& links) override {
        all_checksum_ = ranks_.sum(in_checksum_);
        // Every rank computes the same from the same numbers.
        steps_ = model(links, 1.0 / device_info().sm_clock_hz).best_steps(active_, n_);
        const bool has_left = ranks_.rank() > 0 && share_.count > 0;
        const bool has_right = ranks_.rank() + 1 < active_;
        left_ = has_left ? steps_ : 0;
        right_ = has_right ? steps_ : 0;
    }

    void reset() override {
        d_keys_.fill_bytes(0xa5);
        copy(d_input_.data(), d_keys_.data() + left_, share_.count);
        d_alone_.copy_from(d_alone_input_);
    }

    void run_alone() override {
        persistent(d_alone_.data(), static_cast<unsigned>(d_alone_.size()), d_scratch_.data());
    }
    double items_alone() const override { return static_cast<double>(alone_.count); }
    Verdict check_alone() override { return verify_equal(alone_expected_, d_alone_.download()); }

    // margins: as many half-steps as the margins are wide, then both margins again from the
    // neighbours, until n half-steps are done.
    // Removes: the limit of one GPU's registers, and all but 1 message in `steps` half-steps.
    // Remains: the margins' half-steps are done twice; every exchange is a launch and a message.
    void run() override {
        const unsigned length = static_cast<unsigned>(left_ + share_.count + right_);
        unsigned done = 0;
        do {
            if (active_ > 1) exchange();
            if (share_.count > 0) sort_partly(d_keys_.data(), length, d_scratch_.data(), steps_);
            done += steps_;
        } while (done < n_);
    }

    /// Sends this GPU's first and last keys to the neighbours; theirs become its margins.
    void exchange() const {
        Key* const own = const_cast<Key*>(d_keys_.data()) + left_;
        NCCL_CHECK(ncclGroupStart());
        if (left_ > 0) swap(own, own - left_, ranks_.rank() - 1);
        if (right_ > 0) swap(own + share_.count - steps_, own + share_.count, ranks_.rank() + 1);
        NCCL_CHECK(ncclGroupEnd());
    }

    Verdict check() override {
        std::vector<Key> keys = d_keys_.download();
        keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(left_));
        keys.resize(share_.count);
        const std::uint64_t sum = ranks_.sum(checksum(keys));
        const auto before = [](Key a, Key b) { return ordered_int(a) < ordered_int(b); };
        const auto wrong = std::is_sorted_until(keys.begin(), keys.end(), before);
        std::vector<int> ends;
        if (!keys.empty()) ends = {ordered_int(keys.front()), ordered_int(keys.back())};
        const std::vector<int> all = ranks_.gather_all(ends);
        if (wrong != keys.end()) {
            return {false, "key " + std::to_string(wrong - keys.begin()) +
                               " of this rank comes before the one before it"};
        }
        if (!std::is_sorted(all.begin(), all.end())) {
            return {false, "a rank holds keys that belong to a rank before it"};
        }
        if (sum != all_checksum_) {
            return {false, "the keys that came out are not those that went in"};
        }
        return {true, ""};
    }

    std::string note() override {
        if (active_ == 1) return "one rank has all keys: too few to share\n";
        return std::to_string(active_) + " ranks have keys; " + std::to_string(steps_) +
               " half-steps, and margins of as many keys, between two exchanges\n" +
               (fits_one_ ? ""
                          : "one_gpu sorts a share only: the registers of one GPU cannot hold all "
                            "keys\n");
    }

    Prediction predict(const Links& links, int ranks, double n, double alone) const override {
        const int active = ranks_with_keys(n, ranks);
        // The clock rate that the GPU reached when it was the only one sorting.
        const double own = static_cast<double>(std::max<std::size_t>(alone_.count, 1));
        const HaloModel scaled = model(links, alone / own / clocks_of_keys(own));
        const bool ran = active == active_ && n == n_;
        return scaled.predict(active, n, ran ? steps_ : scaled.best_steps(active, n));
    }

  private:
    std::uint64_t checksum(const std::vector<Key>& keys) const {
        return multiset_checksum(keys.size(), [&](std::size_t i) {
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(ordered_int(keys[i])));
        });
    }

    static void copy(const Key* from, Key* to, std::size_t count) {
        if (count == 0) return;
        CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(Key), cudaMemcpyDeviceToDevice));
    }

    void swap(const Key* goes, Key* comes, int other) const {
        NCCL_CHECK(ncclSend(goes, steps_ * sizeof(Key), ncclChar, other, ranks_.comm(), nullptr));
        NCCL_CHECK(ncclRecv(comes, steps_ * sizeof(Key), ncclChar, other, ranks_.comm(), nullptr));
    }

    /// Clocks of a half-step of that many keys, as choose_shape() weighs them. If they do not fit
    /// into the registers, the clocks are in proportion to their number.
    static double clocks_of_keys(double keys) {
        const HaloShape shape =
            choose_shape(static_cast<unsigned>(std::max(keys, 2.0)), device_info().sm_count);
        if (shape.blocks > 0) return clocks_of(shape);
        return 100.0 + keys / device_info().sm_count;
    }

    static HaloModel model(const Links& links, double seconds_per_clock) {
        return {links, [=](double keys) { return clocks_of_keys(keys) * seconds_per_clock; }};
    }

    MultiGpuOptions options_;
    Ranks& ranks_;
    unsigned n_;
    int active_ = 1;  ///< ranks that hold keys
    bool fits_one_ = true;
    Share share_, alone_;
    std::size_t max_margin_ = 0;
    unsigned steps_ = 2;
    std::size_t left_ = 0, right_ = 0;  ///< keys of the neighbours, on either side
    std::uint64_t in_checksum_ = 0, all_checksum_ = 0;
    std::vector<Key> alone_expected_;
    DeviceBuffer<Key> d_input_, d_alone_input_, d_alone_, d_keys_;
    DeviceBuffer<char> d_scratch_;
};

}  // namespace

int main(int argc, char** argv) {
    std::string type = "float";
    return MultiGpu("ch01_multi_gpu", "odd-even transposition sort across GPUs", "key")
        .one_gpu("persistent")
        .sizes(std::size_t{1} << 20, std::size_t{1} << 12, std::size_t{1} << 23,
               std::size_t{1} << 15)
        .choice("--type", "type of the keys", {"float", "int"}, type)
        .same_n_on_more_gpus(true)
        .run(argc, argv,
             [&](const MultiGpuOptions& options,
                 Ranks& ranks) -> std::unique_ptr<MultiGpuExperiment> {
                 if (type == "int") return std::make_unique<MultiGpuBubble<int>>(options, ranks);
                 return std::make_unique<MultiGpuBubble<float>>(options, ranks);
             });
}
