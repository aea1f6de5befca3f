// What throw and catch do on the host, between kernels whose threads wait for each other. With
// WITHOUT_CUDA any C++ compiler accepts it: kernels and CUDA's errors are then replaced by their
// expected results.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef WITHOUT_CUDA
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                                    \
    do {                                                                                    \
        const cudaError_t status = (call);                                                  \
        if (status != cudaSuccess) {                                                        \
            throw std::runtime_error(std::string(#call ": ") + cudaGetErrorString(status)); \
        }                                                                                   \
    } while (false)

/// In a kernel whose waiting threads have something to clean up.
struct Counted {
    int* at;
    __device__ explicit Counted(int* where) : at(where) { atomicAdd(at, 1); }
    __device__ ~Counted() { atomicAdd(at, 1); }
};

constexpr int kThreads = 64;

__global__ void reverse(int* data, int* count) {
    __shared__ int tile[kThreads];
    const Counted counted(count);
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

void run_kernel(const char* when) {
    int* data = nullptr;
    int* count = nullptr;
    CUDA_CHECK(cudaMalloc(&data, kThreads * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&count, sizeof(int)));
    std::vector<int> values(kThreads);
    for (int i = 0; i < kThreads; ++i) values[i] = i;
    CUDA_CHECK(cudaMemcpy(data, values.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(count, 0, sizeof(int)));
    reverse<<<1, kThreads>>>(data, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    int counted = 0;
    CUDA_CHECK(cudaMemcpy(values.data(), data, kThreads * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&counted, count, sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(data));
    CUDA_CHECK(cudaFree(count));
    std::printf("kernel %s: %d %d, counted %d\n", when, values[0], values[kThreads - 1], counted);
}

void copy_to_null() { CUDA_CHECK(cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyHostToDevice)); }

void launch_too_large() {
    reverse<<<1, 4096>>>(nullptr, nullptr);
    CUDA_CHECK(cudaGetLastError());
}

#else

void run_kernel(const char* when) { std::printf("kernel %s: 63 0, counted 128\n", when); }

void copy_to_null() {
    throw std::runtime_error(
        "cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyHostToDevice): invalid argument");
}

void launch_too_large() {
    throw std::runtime_error("cudaGetLastError(): invalid configuration argument");
}

#endif

namespace {

struct Noisy {
    const char* name;
    explicit Noisy(const char* its_name) : name(its_name) {}
    Noisy(const Noisy&) = delete;
    Noisy& operator=(const Noisy&) = delete;
    ~Noisy() { std::printf("  ~%s\n", name); }
};

struct Base {
    int number = 1;
    Base() = default;
    Base(const Base& other) : number(other.number + 100) {}
    Base& operator=(const Base&) = default;
    virtual ~Base() = default;
    virtual const char* name() const { return "Base"; }
};
struct Left : virtual Base {
    int left = 2;
};
struct Right : virtual Base {
    int right = 3;
};
struct Both : Left, Right {
    const char* name() const override { return "Both"; }
};

struct Thrower {
    virtual ~Thrower() = default;
    virtual void act() const { throw std::out_of_range("virtual call"); }
};

enum class Kind { first, second };

void throws_int(int value) {
    const Noisy noisy("throws_int");
    throw value;
}

template <class Act>
void test(const char* name, Act act) {
    std::printf("%s\n", name);
    try {
        act();
        std::printf("  nothing was thrown\n");
    } catch (const std::exception& error) {
        std::printf("  std::exception: %s\n", error.what());
    } catch (...) {
        std::printf("  something else\n");
    }
}

void by_type(int which) {
    try {
        const Noisy noisy("by_type");
        switch (which) {
            case 0:
                throw 42;
            case 1:
                throw 1.5;
            case 2:
                throw "text";
            case 3:
                throw Both();
            case 4:
                throw std::string("a longer text, which is on the heap");
            case 5:
                throw Kind::second;
            case 6:
                throw static_cast<const Base*>(nullptr);
            case 7:
                throw std::make_unique<int>(7);
            default:
                throw 42u;
        }
    } catch (int value) {
        std::printf("  int %d\n", value);
    } catch (double value) {
        std::printf("  double %g\n", value);
    } catch (const char* text) {
        std::printf("  const char* %s\n", text);
    } catch (const Right& right) {
        std::printf("  Right %d %d %s\n", right.right, right.number, right.name());
    } catch (const std::string& text) {
        std::printf("  string %s\n", text.c_str());
    } catch (Kind kind) {
        std::printf("  Kind %d\n", static_cast<int>(kind));
    } catch (const void* pointer) {
        std::printf("  pointer %s\n", pointer == nullptr ? "null" : "?");
    } catch (std::unique_ptr<int>& pointer) {
        std::printf("  unique_ptr %d\n", *pointer);
    }
}

void sliced() {
    try {
        throw Both();
    } catch (Base base) {
        std::printf("  %s %d\n", base.name(), base.number);
    }
}

void again() {
    try {
        try {
            throw Both();
        } catch (Base& base) {
            base.number = 5;
            throw;
        }
    } catch (const Both& both) {
        std::printf("  again: %s %d\n", both.name(), both.number);
    }
}

void another() {
    try {
        throws_int(1);
    } catch (int) {
        const Noisy noisy("in the clause");
        throw std::logic_error("another");
    }
}

void within() {
    try {
        throws_int(1);
    } catch (int outer) {
        try {
            throws_int(2);
        } catch (int inner) {
            std::printf("  %d in %d\n", inner, outer);
        }
        try {
            throw;
        } catch (int same) {
            std::printf("  %d again\n", same);
        }
        std::printf("  %d still\n", outer);
    }
}

void in_order() {
    const Noisy first("first");
    const Noisy second("second");
    for (int i = 0; i < 3; ++i) {
        const Noisy each("each");
        if (i == 1) throw std::runtime_error("in a loop");
    }
}

struct Half {
    Noisy part{"part"};
    Noisy other{"other"};
    Half() { throw std::runtime_error("half made"); }
    ~Half() { std::printf("  never\n"); }
};

struct Watcher {
    ~Watcher() { std::printf("  uncaught: %d\n", std::uncaught_exceptions()); }
};

void kept() {
    std::exception_ptr pointer;
    try {
        throw Both();
    } catch (...) {
        pointer = std::current_exception();
    }
    for (int i = 0; i < 2; ++i) {
        try {
            std::rethrow_exception(pointer);
        } catch (Base& base) {
            std::printf("  kept: %s %d\n", base.name(), base.number++);
        }
    }
}

void function_try(int value) try { throws_int(value); } catch (int caught) {
    std::printf("  function try block: %d\n", caught);
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // abort() loses unwritten output
    run_kernel("before");
    for (int which = 0; which < 9; ++which) test("by type", [=] { by_type(which); });
    test("sliced", sliced);
    test("again", again);
    test("another", another);
    test("within", within);
    test("in order", in_order);
    test("half made", [] { const Half half; });
    test("through a function pointer", [] {
        void (*volatile pointer)(int) = throws_int;
        pointer(3);
    });
    test("through a virtual call", [] {
        const std::unique_ptr<Thrower> thrower = std::make_unique<Thrower>();
        thrower->act();
    });
    test("from a std::function", [] {
        const std::function<void(int)> function = [](int value) {
            if (value > 2) throw std::invalid_argument("value " + std::to_string(value));
        };
        for (int i = 0;; ++i) function(i);
    });
    test("on its way", [] {
        const Watcher watcher;
        throw 1;
    });
    test("kept", kept);
    test("function try block", [] { function_try(4); });
    test("of a template", [] {
        try {
            std::vector<int>(3).at(3) = 1;
        } catch (const std::out_of_range&) {  // the text of what() differs between libraries
            std::printf("  at: out of range\n");
        }
    });
    test("out of a bad cast", [] {
        const Base base;
        static_cast<void>(dynamic_cast<const Both&>(base));
    });
    test("of the compiled library", [] {
        try {
            static_cast<void>(std::stoi("none"));
        } catch (const std::invalid_argument&) {
            std::printf("  std::stoi: invalid argument\n");
        }
        try {
            static_cast<void>(std::string("short").substr(9));
        } catch (const std::out_of_range&) {
            std::printf("  substr: out of range\n");
        }
        try {
            std::string().reserve(static_cast<std::size_t>(-1));
        } catch (const std::length_error&) {
            std::printf("  reserve: length error\n");
        }
    });
    test("without memory", [] {
        const volatile std::size_t bytes = static_cast<std::size_t>(-1) / 4 * 3;
        try {
            char* const volatile memory = new char[bytes];
            delete[] memory;
        } catch (const std::bad_alloc&) {
            std::printf("  bad_alloc\n");
        }
    });
    test("a CUDA error", copy_to_null);
    test("a launch", launch_too_large);
    test("a kernel in a clause", [] {
        try {
            throws_int(6);
        } catch (...) {
            run_kernel("in a clause");
            throw;
        }
    });
    run_kernel("after");
    const Noisy noisy("main");
    const std::string end = argc > 1 ? argv[1] : "";
    if (end == "exit") std::exit(7);
    if (end == "noexcept") []() noexcept { throws_int(5); }();
    if (end == "rethrow") throw;
    if (end == "int") throw 3;
    if (end == "uncaught") throw std::runtime_error("nobody catches this");
    std::printf("end\n");
}
