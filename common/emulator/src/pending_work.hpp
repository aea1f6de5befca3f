// What the host has not waited for. Work is done when it is submitted, but on a device it would
// still run: an event after it is not complete, and what it printed has not arrived.
#pragma once

#include <string>

#include "emulator/runtime_types.hpp"
#include "emulator/site.hpp"

namespace emulator {

class HostCall;

/// Whether it is a default stream, or one that was created and not destroyed.
bool stream_exists(cudaStream_t stream);
/// Why another one does not, in words.
std::string missing_stream(cudaStream_t stream);
/// cudaSuccess: the call may use it.
cudaError_t check_stream(const HostCall& call, cudaStream_t stream);

void stream_made(cudaStream_t stream, bool is_blocking);
void stream_gets_work(cudaStream_t stream);
/// The stream waits for an event: a wait for the stream is then a wait for more than its own work.
void stream_waits_for_event();
void event_recorded(cudaEvent_t event, cudaStream_t stream);
void event_destroyed(cudaEvent_t event);

void host_waits_for_device();
void host_waits_for_stream(cudaStream_t stream);
void host_waits_for_event(cudaEvent_t event);

/// The stream will call a function of the host with this pointer.
void host_function_given(cudaStream_t stream, const void* data, Site site);
/// It has returned. If it has changed what it was given, the host may learn of it without a wait.
void host_function_returned(const void* data);
/// Of those that point to a local variable of a function that has returned since, before the host
/// has waited: reports the calls. `frame`: below the local variables of the host, or null.
void check_host_function_data(const void* frame);

/// False: on a device the work before it may not be done yet.
bool is_complete(cudaEvent_t event);

/// What a query says: not done, the first time it is made after such work. So a program that
/// ignores the answer has not waited, and a loop that uses it ends.
bool is_done_when_asked(cudaStream_t stream);
bool is_complete_when_asked(cudaEvent_t event);

}  // namespace emulator
