// Errors and reports as the runtime API keeps them.
#pragma once

#include "emulator/report.hpp"
#include "emulator/site.hpp"

namespace emulator {

bool are_reports_printed();

/// Prints a report and keeps it.
void publish(const Report& report);

/// A call failed: the error is kept until cudaGetLastError(). Returns the error.
cudaError_t set_error(cudaError_t error);

/// The same with a report that says why.
cudaError_t set_error(cudaError_t error, Reason reason, Site site, std::string text);

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
