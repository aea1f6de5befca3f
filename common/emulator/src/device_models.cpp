// The devices that TUTORIAL_CPU_DEVICE can name, with the limits of their data sheets and of the
// table "Technical Specifications per Compute Capability" in NVIDIA's CUDA C++ Programming Guide.
#include "device.hpp"

namespace emulator {
namespace {

constexpr std::size_t kKiB = 1024;

constexpr DeviceModel kModels[] = {
    {"h200", "NVIDIA H200", 9, 0, 132, 60, 227 * kKiB, 228 * kKiB, 1024, 2048, 32},
    {"h100", "NVIDIA H100", 9, 0, 132, 50, 227 * kKiB, 228 * kKiB, 1024, 2048, 32},
    {"a100", "NVIDIA A100", 8, 0, 108, 40, 163 * kKiB, 164 * kKiB, 1024, 2048, 32},
    {"l4", "NVIDIA L4", 8, 9, 58, 48, 99 * kKiB, 100 * kKiB, 1024, 1536, 24},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 72, 99 * kKiB, 100 * kKiB, 1024, 1536, 24},
    {"rtx3090", "NVIDIA GeForce RTX 3090", 8, 6, 82, 6, 99 * kKiB, 100 * kKiB, 1024, 1536, 16},
    {"t4", "NVIDIA Tesla T4", 7, 5, 40, 4, 64 * kKiB, 64 * kKiB, 0, 1024, 16},
    {"v100", "NVIDIA Tesla V100", 7, 0, 80, 6, 96 * kKiB, 96 * kKiB, 0, 2048, 32},
};

}  // namespace

const DeviceModel* find_device_model(const std::string& key) {
    for (const DeviceModel& model : kModels) {
        if (key == model.key) return &model;
    }
    return nullptr;
}

std::string device_model_keys() {
    std::string keys;
    for (const DeviceModel& model : kModels)
        keys += (keys.empty() ? "" : ", ") + std::string(model.key);
    return keys;
}

}  // namespace emulator
