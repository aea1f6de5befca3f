// The rules that remember nothing, or next to it, each in a file of its name. The others have
// headers.
#pragma once

#include "rule.hpp"

namespace lab {

class EmulatorReports;
class OutOfBounds;

/// A thread uses what an asynchronous copy is still to write.
class AwaitedCopy : public Rule {
  public:
    using Rule::Rule;
    /// `word`: its address. True: it is reported.
    bool check(const Access& access, std::uintptr_t word);
    /// Of a use of such memory. It is not that of a race of the same lines, whose cure is chosen at
    /// the end.
    static FindingList::Key key(SiteId use, const SourcePlace& begun);

  private:
    void report(const Access& access, const AsyncCopy& copy);
};

class ConstantStore : public Rule {
  public:
    using Rule::Rule;
    void report(const Access& access);
};

/// The host uses a pointer to device memory, or to memory that is freed.
class DevicePointer : public Rule {
  public:
    using Rule::Rule;
    void report(SiteId id, const Watched& what, bool is_store);
    void report_freed(SiteId id, std::uintptr_t address, bool is_store);
};

/// A kernel uses an address at which nothing of the device lies.
class HostPointer : public Rule {
  public:
    using Rule::Rule;
    void report(const Access& access, const OutOfBounds& bounds);

  private:
    bool has_used(const Watched& array, SiteId site) const;
};

class Misaligned : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, EmulatorReports& reports);

  private:
    [[noreturn]] void report(const Access& access, EmulatorReports& reports);
};

class OverlappingArrays : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& load, std::size_t offset);

  private:
    void check(const Access& access, const Cell& cell);
};

/// __ldg of what the same kernel writes.
class ReadOnlyLoad : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, const Cell& cell, const Stamp& now);
    void check_store(const Access& access, const Cell& cell, const Stamp& now);
    bool has_seen_any = false;

  private:
    void report(const Access& access, SiteId other);
};

class ShuffleSource : public Rule {
  public:
    using Rule::Rule;
    void report(int lane, int source, unsigned mask, emulator::Site where);
};

/// Kernels, copies, allocations and the host use memory in no order.
class StreamRace : public Rule {
  public:
    using Rule::Rule;
    /// An access of the running thread, and one of another stream.
    void report(const Access& access, const Stamp& other, bool other_stores);
    /// Looks whether what a stream does waits for those who used the memory last, and notes the
    /// use.
    void check(const Party& mine, Watched* memory, std::uintptr_t address, std::size_t bytes,
               std::uint32_t epoch, bool is_store);
    /// The host frees its own memory, and waits for nobody.
    void check_free(const Party& mine, Watched& memory, std::size_t bytes);
    void check_host(SiteId site, Watched& memory, std::size_t offset, std::size_t bytes,
                    bool is_store);

  private:
    void report(const Party& mine, const Watched& what, bool is_store, const Stamp& other,
                bool other_stores);
};

/// A local variable that has no value.
class UnsetVariable : public Rule {
  public:
    using Rule::Rule;
    void check_load(const Access& access);
    /// When the value is there.
    void check_store(const Access& access);

  private:
    void report(const Access& access, bool is_store);
};

}  // namespace lab
