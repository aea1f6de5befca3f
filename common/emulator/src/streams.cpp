// Streams and events. Work is done when it is submitted; only a query's first answer says
// otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "diagnose.hpp"
#include "emulator/clock.hpp"
#include "emulator/device_api.hpp"
#include "kernel_printf.hpp"
#include "memory.hpp"
#include "observer.hpp"
#include "pending_work.hpp"
#include "return_address.hpp"
#include "state.hpp"

struct CUstream_st {
    bool is_non_blocking;
};

struct CUevent_st {
    bool timing;
    bool recorded;
    long long nanoseconds;
};

namespace {

using emulator::HostCall;

/// Handles that exist, so that a wrong one is an error, not a crash.
template <class T>
class Handles {
  public:
    explicit Handles(const char* kind) : kind_(kind) {}

    T* add(const T& handle) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return *live_.insert(new T(handle)).first;
    }
    bool has(const T* handle) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return live_.count(const_cast<T*>(handle)) != 0;
    }
    /// The last ones stay where they are: a new one at the same address would hide a use of them.
    bool destroy(T* handle, const HostCall& call) {
        constexpr std::size_t kKept = 1000;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (live_.erase(handle) == 0) return false;
        destroyed_.emplace_back(handle, call);
        if (destroyed_.size() <= kKept) return true;
        delete destroyed_.front().first;
        destroyed_.pop_front();
        return true;
    }
    /// Why there is no such handle.
    std::string missing(const T* handle, const char* advice) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = std::find_if(destroyed_.begin(), destroyed_.end(),
                                        [&](const auto& each) { return each.first == handle; });
        if (found == destroyed_.end()) {
            return fmt::format(
                "there is no such {}: it was never created, or long ago "
                "destroyed.",
                kind_);
        }
        const emulator::Site site = found->second.site();
        const std::string at = site.file != nullptr ? " at " + emulator::words(site) : "";
        return fmt::format("the {} was destroyed{}. {}", kind_, at, advice);
    }
    cudaError_t refuse(const HostCall& call, const T* handle,
                       const char* advice = "Destroy it after its last use.") {
        return call.refuse(cudaErrorInvalidResourceHandle, missing(handle, advice));
    }

  private:
    const char* kind_;
    std::mutex mutex_;
    std::set<T*> live_;
    std::deque<std::pair<T*, HostCall>> destroyed_;
};

constexpr const char* kOnce = "Destroy it once.";

Handles<CUstream_st>& streams() {
    static auto* const all = new Handles<CUstream_st>("stream");
    return *all;
}

Handles<CUevent_st>& events() {
    static auto* const all = new Handles<CUevent_st>("event");
    return *all;
}

cudaError_t check_event(const HostCall& call, cudaEvent_t event) {
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    return events().has(event) ? cudaSuccess : events().refuse(call, event);
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

cudaError_t create_stream(const HostCall& call, cudaStream_t* stream, unsigned flags) {
    emulator::require_host("cudaStreamCreate");
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (stream == nullptr) return call.refuse_null("the stream");
    if (flags > cudaStreamNonBlocking) {
        return call.refuse(cudaErrorInvalidValue, fmt::format("there are no flags {}.", flags));
    }
    const bool is_non_blocking = flags == cudaStreamNonBlocking;
    *stream = streams().add({is_non_blocking});
    return told(cudaSuccess,
                is_non_blocking ? emulator::StreamCall::created_non_blocking
                                : emulator::StreamCall::created,
                *stream, nullptr);
}

cudaError_t synchronize_stream(const HostCall& call, cudaStream_t stream) {
    if (const cudaError_t error = call.earlier(stream); error != cudaSuccess) return error;
    return told(emulator::check_stream(call, stream), emulator::StreamCall::stream_synchronized,
                stream, nullptr);
}

/// The stream calls a function of the host.
template <class Function>
cudaError_t call_host_function(const HostCall& call, cudaStream_t stream, bool is_null,
                               const void* data, const Function& function) {
    if (const cudaError_t error = emulator::check_stream(call, stream); error != cudaSuccess)
        return error;
    if (is_null) return call.refuse_null("the function");
    emulator::host_function_given(stream, data, call.site());
    told(cudaSuccess, emulator::StreamCall::host_function_begins, stream, nullptr);
    {
        const emulator::InHostFunction is_inside;
        function();
    }
    emulator::host_function_returned(data);
    return told(cudaSuccess, emulator::StreamCall::host_function_ends, stream, nullptr);
}

cudaError_t create_event(const HostCall& call, cudaEvent_t* event, unsigned flags) {
    emulator::require_host("cudaEventCreate");
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (event == nullptr) return call.refuse_null("the event");
    if (flags > (cudaEventBlockingSync | cudaEventDisableTiming)) {
        return call.refuse(cudaErrorInvalidValue, fmt::format("there are no flags {}.", flags));
    }
    *event = events().add({(flags & cudaEventDisableTiming) == 0, false, 0});
    return cudaSuccess;
}

cudaError_t record_event(const HostCall& call, cudaEvent_t event, cudaStream_t stream) {
    emulator::require_host("cudaEventRecord");
    if (const cudaError_t error = check_event(call, event); error != cudaSuccess) return error;
    if (const cudaError_t error = emulator::check_stream(call, stream); error != cudaSuccess)
        return error;
    event->recorded = true;
    event->nanoseconds = emulator::nanoseconds();
    return told(cudaSuccess, emulator::StreamCall::recorded, stream, event);
}

cudaError_t synchronize_event(const HostCall& call, cudaEvent_t event) {
    return told(check_event(call, event), emulator::StreamCall::event_synchronized, nullptr, event);
}

cudaError_t no_graphs(const HostCall& call, const char* advice = "") {
    return call.refuse(cudaErrorNotSupported,
                       std::string("the emulator has no CUDA graphs.") + advice,
                       emulator::Reason::unsupported);
}

}  // namespace

bool emulator::stream_exists(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
           streams().has(stream);
}

std::string emulator::missing_stream(cudaStream_t stream) {
    return streams().missing(stream, "Destroy it after its last use.");
}

cudaError_t emulator::check_stream(const HostCall& call, cudaStream_t stream) {
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    return stream_exists(stream) ? cudaSuccess : streams().refuse(call, stream);
}

#define CALL(name)                                     \
    emulator::check_host_function_data(FRAME_ADDRESS); \
    const HostCall call(#name, RETURN_ADDRESS)

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    CALL(cudaStreamCreate);
    return create_stream(call, stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    CALL(cudaStreamCreateWithFlags);
    return create_stream(call, stream, flags);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    CALL(cudaStreamCreateWithPriority);
    return create_stream(call, stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    CALL(cudaStreamDestroy);
    emulator::require_host("cudaStreamDestroy");
    if (!streams().destroy(stream, call)) return streams().refuse(call, stream, kOnce);
    emulator::detach_from_stream(stream);
    return call.earlier();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    CALL(cudaStreamSynchronize);
    return synchronize_stream(call, stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    CALL(cudaStreamQuery);
    if (const cudaError_t error = emulator::check_stream(call, stream); error != cudaSuccess)
        return error;
    return emulator::is_done_when_asked(stream) ? synchronize_stream(call, stream)
                                                : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    CALL(cudaStreamWaitEvent);
    const cudaError_t error = emulator::check_stream(call, stream);
    return told(error != cudaSuccess ? error : check_event(call, event),
                emulator::StreamCall::waits, stream, event);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    CALL(cudaStreamAddCallback);
    if (flags != 0) {
        return call.refuse(cudaErrorInvalidValue,
                           fmt::format("the flags must be 0, and are {}.", flags));
    }
    return call_host_function(call, stream, callback == nullptr, data,
                              [&] { callback(stream, cudaSuccess, data); });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    CALL(cudaStreamGetPriority);
    if (const cudaError_t error = emulator::check_stream(call, stream); error != cudaSuccess)
        return error;
    if (priority == nullptr) return call.refuse_null("the result");
    *priority = 0;  // cudaDeviceGetStreamPriorityRange gives no other
    return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    CALL(cudaStreamGetFlags);
    if (const cudaError_t error = emulator::check_stream(call, stream); error != cudaSuccess)
        return error;
    if (flags == nullptr) return call.refuse_null("the result");
    *flags = streams().has(stream) && stream->is_non_blocking ? unsigned{cudaStreamNonBlocking}
                                                              : unsigned{cudaStreamDefault};
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    CALL(cudaLaunchHostFunc);
    return call_host_function(call, stream, function == nullptr, data, [&] { function(data); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    CALL(cudaEventCreate);
    return create_event(call, event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    CALL(cudaEventCreateWithFlags);
    return create_event(call, event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    CALL(cudaEventDestroy);
    emulator::require_host("cudaEventDestroy");
    if (!events().destroy(event, call)) return events().refuse(call, event, kOnce);
    emulator::event_destroyed(event);
    return call.earlier();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    CALL(cudaEventRecord);
    return record_event(call, event, stream);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    CALL(cudaEventRecordWithFlags);
    return record_event(call, event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    CALL(cudaEventSynchronize);
    return synchronize_event(call, event);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    CALL(cudaEventQuery);
    if (const cudaError_t error = check_event(call, event); error != cudaSuccess) return error;
    return emulator::is_complete_when_asked(event) ? synchronize_event(call, event)
                                                   : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end,
                                 emulator::Site site) {
    const HostCall call("cudaEventElapsedTime", site);
    if (const cudaError_t error = check_event(call, start); error != cudaSuccess) return error;
    if (const cudaError_t error = check_event(call, end); error != cudaSuccess) return error;
    if (milliseconds == nullptr) return call.refuse_null("the result");
    if (!start->timing || !end->timing) {
        return call.refuse(cudaErrorInvalidResourceHandle,
                           "an event that was created with cudaEventDisableTiming has no time. "
                           "Create it without that flag.",
                           emulator::Reason::not_ready);
    }
    if (!start->recorded || !end->recorded) {
        return call.refuse(cudaErrorInvalidResourceHandle,
                           fmt::format("the {} event was never recorded: call cudaEventRecord() "
                                       "for it first.",
                                       start->recorded ? "second" : "first"),
                           emulator::Reason::not_ready);
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

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    CALL(cudaStreamBeginCapture);
    if (streams().has(stream)) emulator::set_capture(stream, !stream->is_non_blocking, call.site());
    return no_graphs(call,
                     " What is given to the stream now runs\nat once and is checked, and "
                     "cudaGraphLaunch() runs nothing, so results may be missing.\nTo check all of "
                     "the program, launch its kernels without a graph.");
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
    CALL(cudaStreamEndCapture);
    emulator::set_capture(nullptr, false, {});
    return no_graphs(call);
}
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned) {
    CALL(cudaGraphCreate);
    return no_graphs(call);
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
    CALL(cudaGraphDestroy);
    return no_graphs(call);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
    CALL(cudaGraphInstantiate);
    return no_graphs(call);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
    CALL(cudaGraphLaunch);
    return no_graphs(call);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
    CALL(cudaGraphExecDestroy);
    return no_graphs(call);
}

#undef CALL
