#include "emulator/hooks.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>

#include "observer.hpp"

namespace emulator {

Observer* installed_observer = nullptr;

__thread bool ToolIsBusy::is_busy = false;

namespace {

thread_local const char of_this_thread = 0;
const char* const of_main_thread = &of_this_thread;

std::recursive_timed_mutex& turns() {
    static auto* const mutex = new std::recursive_timed_mutex;  // used until the very end
    return *mutex;
}

}  // namespace

ToolTurn::ToolTurn() : is_held_(installed_observer != nullptr) {
    if (is_held_) turns().lock();
}

ToolTurn::ToolTurn(int most_milliseconds)
    : is_held_(installed_observer != nullptr &&
               turns().try_lock_for(std::chrono::milliseconds(most_milliseconds))) {}

ToolTurn::~ToolTurn() {
    if (is_held_) turns().unlock();
}

void let_others_go_first() {
    if (installed_observer == nullptr) return;
    static std::atomic<bool> are_several{false};
    static std::atomic<int> left{25};
    if (&of_this_thread != of_main_thread) are_several = true;
    if (!are_several || left.fetch_sub(1) <= 0) return;
    constexpr long kNanoseconds = 20'000'000;
    const timespec pause{0, kNanoseconds};
    nanosleep(&pause, nullptr);
}

void set_observer(Observer* observer) { installed_observer = observer; }

}  // namespace emulator
