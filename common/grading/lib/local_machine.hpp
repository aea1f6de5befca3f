// The device of this process.
#pragma once

#include "machine.hpp"

namespace grading::detail {

class LocalMachine : public Machine {
  public:
    void begin(const std::string& order, bool watches) override;
    void mark(const std::string& at) override;
    void* allocate(std::size_t bytes, const char* name) override;
    void release(void* memory) noexcept override;
    void upload(void* to, const void* from, std::size_t bytes) override;
    void download(void* to, const void* from, std::size_t bytes) override;
    void fill(void* memory, unsigned char byte, std::size_t bytes) override;
    std::vector<Failure> take_faults() override;
    std::vector<Failure> take_leaks() override;
#if GRADING_HAS_LAB
    lab::Report count(const std::function<void()>& run, const std::function<void()>& reset,
                      const void* followed, std::size_t bytes) override;
#endif
};

}  // namespace grading::detail
