// Streams and events. Work is done when it is submitted; only a query's first answer says
// otherwise.
#include <algorithm>
#include <mutex>
#include <set>

#include "diagnose.hpp"
#include "emulator/clock.hpp"
#include "emulator/device_api.hpp"
#include "kernel_printf.hpp"
#include "observer.hpp"
#include "pending_work.hpp"
#include "state.hpp"

struct CUstream_st {
    int priority;
};

struct CUevent_st {
    bool timing;
    bool recorded;
    long long nanoseconds;
};

namespace {

/// Handles that exist, so that a wrong one is an error, not a crash.
struct Handles {
    std::mutex mutex;
    std::set<const void*> live;

    template <class T>
    T* add(T* handle) {
        const std::lock_guard<std::mutex> lock(mutex);
        live.insert(handle);
        return handle;
    }
    bool has(const void* handle) {
        const std::lock_guard<std::mutex> lock(mutex);
        return live.count(handle) != 0;
    }
    bool remove(const void* handle) {
        const std::lock_guard<std::mutex> lock(mutex);
        return live.erase(handle) != 0;
    }
};

Handles& handles() {
    static Handles* const all = new Handles;
    return *all;
}

bool is_stream(cudaStream_t stream) { return emulator::stream_exists(stream); }

cudaError_t check_stream(cudaStream_t stream) {
    if (const cudaError_t earlier = emulator::fault(); earlier != cudaSuccess) return earlier;
    return is_stream(stream) ? cudaSuccess : emulator::set_error(cudaErrorInvalidResourceHandle);
}

cudaError_t check_event(cudaEvent_t event) {
    if (const cudaError_t earlier = emulator::fault(); earlier != cudaSuccess) return earlier;
    return handles().has(event) ? cudaSuccess : emulator::set_error(cudaErrorInvalidResourceHandle);
}

/// Records what the host has now waited for.
void note(emulator::StreamCall call, cudaStream_t stream, cudaEvent_t event) {
    using Call = emulator::StreamCall;
    switch (call) {
        case Call::created:
        case Call::created_non_blocking:
            return emulator::stream_made(stream, call == Call::created);
        case Call::recorded:
            return emulator::event_recorded(event, stream);
        case Call::waits:
            return emulator::stream_waits_for_event();
        case Call::stream_synchronized:
            return emulator::host_waits_for_stream(stream);
        case Call::event_synchronized:
            return emulator::host_waits_for_event(event);
        case Call::host_function_begins:
            return emulator::print_what_kernels_said();
        case Call::device_synchronized:
        case Call::host_function_ends:
            return;
    }
}

/// Tells an observing tool, if the call has succeeded.
cudaError_t told(cudaError_t result, emulator::StreamCall call, cudaStream_t stream,
                 cudaEvent_t event) {
    using Call = emulator::StreamCall;
    const bool waits = call == Call::stream_synchronized || call == Call::event_synchronized;
    if (waits) emulator::let_others_go_first();
    if (result == cudaSuccess) note(call, stream, event);
    const emulator::ToolTurn turn;
    emulator::Observer* const observer = emulator::current_observer();
    if (result == cudaSuccess && observer != nullptr) observer->stream_call(call, stream, event);
    return result;
}

cudaError_t no_graphs(const char* call, const char* advice = "") {
    return emulator::set_error(cudaErrorNotSupported, emulator::Reason::unsupported, {},
                               std::string(call) + ": the emulator has no CUDA graphs." + advice);
}

}  // namespace

bool emulator::stream_exists(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
           handles().has(stream);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    emulator::require_host("cudaStreamCreate");
    if (const cudaError_t earlier = emulator::fault(); earlier != cudaSuccess) return earlier;
    if (stream == nullptr || flags > cudaStreamNonBlocking) {
        return emulator::set_error(cudaErrorInvalidValue);
    }
    *stream = handles().add(new CUstream_st{priority});
    return told(cudaSuccess,
                flags == cudaStreamNonBlocking ? emulator::StreamCall::created_non_blocking
                                               : emulator::StreamCall::created,
                *stream, nullptr);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    emulator::require_host("cudaStreamDestroy");
    if (!handles().remove(stream)) return emulator::set_error(cudaErrorInvalidResourceHandle);
    delete stream;
    return emulator::fault();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return told(check_stream(stream), emulator::StreamCall::stream_synchronized, stream, nullptr);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (const cudaError_t error = check_stream(stream); error != cudaSuccess) return error;
    return emulator::is_done_when_asked(stream) ? cudaStreamSynchronize(stream) : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    const cudaError_t error = check_stream(stream);
    return told(error != cudaSuccess ? error : check_event(event), emulator::StreamCall::waits,
                stream, event);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    if (const cudaError_t error = check_stream(stream); error != cudaSuccess) return error;
    if (callback == nullptr || flags != 0) return emulator::set_error(cudaErrorInvalidValue);
    told(cudaSuccess, emulator::StreamCall::host_function_begins, stream, nullptr);
    callback(stream, cudaSuccess, data);
    return told(cudaSuccess, emulator::StreamCall::host_function_ends, stream, nullptr);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    if (const cudaError_t error = check_stream(stream); error != cudaSuccess) return error;
    if (priority == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *priority = 0;  // cudaDeviceGetStreamPriorityRange gives no other
    return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    if (const cudaError_t error = check_stream(stream); error != cudaSuccess) return error;
    if (flags == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *flags = cudaStreamDefault;
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    if (const cudaError_t error = check_stream(stream); error != cudaSuccess) return error;
    if (function == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    told(cudaSuccess, emulator::StreamCall::host_function_begins, stream, nullptr);
    function(data);
    return told(cudaSuccess, emulator::StreamCall::host_function_ends, stream, nullptr);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    emulator::require_host("cudaEventCreate");
    if (const cudaError_t earlier = emulator::fault(); earlier != cudaSuccess) return earlier;
    if (event == nullptr || flags > (cudaEventBlockingSync | cudaEventDisableTiming)) {
        return emulator::set_error(cudaErrorInvalidValue);
    }
    *event = handles().add(new CUevent_st{(flags & cudaEventDisableTiming) == 0, false, 0});
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    emulator::require_host("cudaEventDestroy");
    if (!handles().remove(event)) return emulator::set_error(cudaErrorInvalidResourceHandle);
    emulator::event_destroyed(event);
    delete event;
    return emulator::fault();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    emulator::require_host("cudaEventRecord");
    if (const cudaError_t error = check_event(event); error != cudaSuccess) return error;
    if (!is_stream(stream)) return emulator::set_error(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    event->nanoseconds = emulator::nanoseconds();
    return told(cudaSuccess, emulator::StreamCall::recorded, stream, event);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return told(check_event(event), emulator::StreamCall::event_synchronized, nullptr, event);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (const cudaError_t error = check_event(event); error != cudaSuccess) return error;
    return emulator::is_complete_when_asked(event) ? cudaEventSynchronize(event)
                                                   : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end,
                                 emulator::Site site) {
    if (const cudaError_t error = check_event(start); error != cudaSuccess) return error;
    if (const cudaError_t error = check_event(end); error != cudaSuccess) return error;
    if (milliseconds == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    if (!start->timing || !end->timing || !start->recorded || !end->recorded) {
        return emulator::set_error(
            cudaErrorInvalidResourceHandle, emulator::Reason::not_ready, site,
            "cudaEventElapsedTime at " + emulator::words(site) +
                (start->timing && end->timing ? ": one of the two events was never recorded."
                                              : ": an event that was created with "
                                                "cudaEventDisableTiming has no time. Create "
                                                "it without that flag."));
    }
    if (!emulator::is_complete(start) || !emulator::is_complete(end)) {
        emulator::publish({cudaErrorNotReady,
                           emulator::Reason::not_ready,
                           "cudaEventElapsedTime at " + emulator::words(site) +
                               ": the host has not waited for the event, so on a GPU it may not "
                               "have been reached yet (cudaErrorNotReady).\nCall "
                               "cudaEventSynchronize() for the later event first.",
                           {},
                           emulator::file_of(site),
                           site.line});
        return cudaErrorNotReady;
    }
    *milliseconds =
        static_cast<float>(static_cast<double>(end->nanoseconds - start->nanoseconds) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
    return no_graphs("cudaStreamBeginCapture",
                     " What is given to the stream now runs\nat once and is checked, and "
                     "cudaGraphLaunch() runs nothing, so results may be missing.\nTo check all of "
                     "the program, launch its kernels without a graph.");
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
    return no_graphs("cudaStreamEndCapture");
}
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned) { return no_graphs("cudaGraphCreate"); }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return no_graphs("cudaGraphDestroy"); }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
    return no_graphs("cudaGraphInstantiate");
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return no_graphs("cudaGraphLaunch"); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return no_graphs("cudaGraphExecDestroy"); }
