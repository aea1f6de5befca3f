// Errors and reports as the runtime API keeps them.
#pragma once

#include <string>

#include "emulator/report.hpp"
#include "emulator/runtime_types.hpp"
#include "emulator/site.hpp"

namespace emulator {

bool are_reports_printed();

/// Prints a report and keeps it.
void publish(const Report& report);

/// A call failed: the error is kept until cudaGetLastError(), and the report says why. Returns the
/// error.
cudaError_t set_error(cudaError_t error, Reason reason, Site site, std::string text);

/// A call of the runtime by the host, for what is reported about it.
class HostCall {
  public:
    HostCall(const char* name, Site site);
    /// `from`: the instruction after the call; a tool knows its line.
    HostCall(const char* name, const void* from);

    /// Why the call is refused whatever its arguments: an earlier fault of a kernel, or a function
    /// of the host in a stream makes it. cudaSuccess: it is not.
    cudaError_t earlier() const;
    /// The same for a call that waits for a stream.
    cudaError_t earlier(cudaStream_t waits_for) const;
    /// Refuses it, and returns the error.
    cudaError_t refuse(cudaError_t error, const std::string& text,
                       Reason reason = Reason::call) const;
    cudaError_t refuse_null(const char* what) const;
    Site site() const;

  private:
    const char* name_;
    Site site_;
    const void* from_ = nullptr;
};

/// A stream captures what it is given (cudaStreamBeginCapture), until null is passed here: calls
/// that wait for it, or for the default stream that waits for it, are refused.
void set_capture(cudaStream_t stream, bool is_blocking, Site begun);

/// While it lives, a stream calls a function of the host, which must not call the runtime.
class InHostFunction {
  public:
    InHostFunction();
    ~InHostFunction();
    InHostFunction(const InHostFunction&) = delete;
    InHostFunction& operator=(const InHostFunction&) = delete;
};

/// A kernel's fault: kept until cudaDeviceReset().
void set_fault(cudaError_t error);

/// The kept fault of a kernel, or cudaSuccess. Calls return it before doing anything.
cudaError_t fault();

/// A request of this kind was met: the host's earlier ones that failed, and whose error it has
/// fetched with cudaGetLastError(), count as handled. `kernel`: of a launch.
void has_succeeded(Reason reason, const std::string& kernel);
/// Whether any such request of this thread is waiting for that.
bool has_fetched_errors();

void clear_errors();

/// Begins a call that only the host may make: in a kernel it ends that kernel, and says so.
void require_host(const char* call, Site site = {});

}  // namespace emulator
