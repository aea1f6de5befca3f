// Right: functions of the host read the flags and the values that a running kernel sets; a fence
// for the system is between.
#include <cuda_runtime.h>

#include <cstdio>

struct Stage {
    volatile int is_done;
    volatile float error;
};

__global__ void set_stages(Stage* stages, int count) {
    for (int i = 0; i < count; ++i) {
        stages[i].error = 1.0f / static_cast<float>(1 + i);
        __threadfence_system();
        stages[i].is_done = 1;
    }
}

class Watcher {
  public:
    explicit Watcher(const Stage* stages) : stages_(stages) {}
    bool is_done(int i) const {
        const int done = stages_[i].is_done;
        return done == 1;
    }
    float error(int i) const { return stages_[i].error; }

  private:
    const Stage* stages_;
};

int done_of(const Stage& stage) { return stage.is_done; }

int main() {
    constexpr int kStages = 3;
    Stage* stages = nullptr;
    cudaMallocHost(&stages, kStages * sizeof(Stage));
    for (int i = 0; i < kStages; ++i) stages[i].is_done = 0;
    set_stages<<<1, 1>>>(stages, kStages);
    const Watcher watcher(stages);
    for (int i = 0; i < kStages - 1; ++i) {
        while (!watcher.is_done(i)) {
        }
        std::printf("stage %d: %g\n", i, watcher.error(i));
    }
    while (done_of(stages[kStages - 1]) == 0) {
    }
    std::printf("last: %g\n", watcher.error(kStages - 1));
    cudaDeviceSynchronize();
    cudaFreeHost(stages);
    return 0;
}
