// The settings as the emulator reads them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "device.hpp"
#include "emulator/settings.hpp"

namespace emulator {

struct Settings {
    Order order = Order::forward;
    std::uint64_t seed = 1;
    std::atomic<double> time_limit{20.0};
    int workers = 1;
    int stack_kilobytes = 128;            ///< TUTORIAL_CPU_STACK_KB
    int multiprocessors = 4;              ///< TUTORIAL_CPU_SMS
    int l2_megabytes = 1;                 ///< TUTORIAL_CPU_L2_MB
    const DeviceModel* device = nullptr;  ///< TUTORIAL_CPU_DEVICE
    bool is_device_chosen = false;        ///< by that variable
    std::string mutated;                  ///< TUTORIAL_CPU_MUTATION: this kernel does nothing

    /// What cudaGetDeviceProperties calls the device.
    std::string device_name() const;
};

/// Read from the environment on first use. An invalid value ends the program with one line and exit
/// code 2.
Settings& settings();

}  // namespace emulator
