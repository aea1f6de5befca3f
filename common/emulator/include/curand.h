// cuRAND's host functions, as courses use them: a generator that fills an array on the device.
// XORWOW (the default) and Philox4_32_10. XORWOW's numbers come in the order that cuRAND documents
// for CURAND_ORDERING_PSEUDO_BEST: number n is from position n / 4096 of subsequence n % 4096.
// Philox's come from subsequence 0, one after the other; cuRAND does not document its own order.
#pragma once

#include <cstddef>
#include <vector>

#include "curand_kernel.h"

enum curandStatus_t {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999,
};
typedef curandStatus_t curandStatus;

enum curandRngType_t {
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32 = 201,
};
typedef curandRngType_t curandRngType;

struct curandGenerator_st {
    bool is_philox;
    bool on_host;
    unsigned long long seed, offset;
    std::vector<curandStateXORWOW> xorwow;  ///< one for each of 4096 subsequences
    curandStatePhilox4_32_10 philox;
    std::size_t made;  ///< numbers given so far
};
typedef curandGenerator_st* curandGenerator_t;

namespace emulator {

constexpr std::size_t kCurandStreams = 4096;

inline void curand_restart(curandGenerator_t generator) {
    generator->made = 0;
    curand_init(generator->seed, 0, generator->offset, &generator->philox);
    generator->xorwow.clear();
    if (generator->is_philox) return;
    generator->xorwow.resize(kCurandStreams);
    curandStateXORWOW state;
    curand_init(generator->seed, 0, 0, &state);
    for (curandStateXORWOW& each : generator->xorwow) {
        each = state;
        skipahead_sequence(1, &state);
    }
    for (unsigned long long i = 0; i < generator->offset % kCurandStreams; ++i) {
        curand(&generator->xorwow[i]);
    }
    if (generator->offset >= kCurandStreams) {
        for (curandStateXORWOW& each : generator->xorwow) {
            skipahead(generator->offset / kCurandStreams, &each);
        }
    }
    generator->made = static_cast<std::size_t>(generator->offset);
}

/// `make` turns the next state into a number.
template <class T, class Make>
curandStatus_t curand_fill(curandGenerator_t generator, T* out, std::size_t count, Make make) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    std::vector<T> made(count);
    for (T& each : made) {
        if (generator->is_philox) {
            each = make(&generator->philox);
        } else {
            each = make(&generator->xorwow[generator->made++ % kCurandStreams]);
        }
    }
    // A kernel would write there; here a copy does, which checks the pointer.
    const cudaMemcpyKind kind = generator->on_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return cudaMemcpy(out, made.data(), count * sizeof(T), kind) == cudaSuccess
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_LAUNCH_FAILURE;
}

}  // namespace emulator

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
    const bool is_philox = type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
    if (!is_philox && type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW) {
        fprintf(stderr, "curandCreateGenerator: the emulator has only XORWOW and Philox4_32_10.\n");
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = new curandGenerator_st{is_philox, false, 0, 0, {}, {}, 0};
    emulator::curand_restart(*generator);
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator,
                                                curandRngType_t type) {
    const curandStatus_t status = curandCreateGenerator(generator, type);
    if (status == CURAND_STATUS_SUCCESS) (*generator)->on_host = true;
    return status;
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    generator->seed = seed;
    emulator::curand_restart(generator);
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    emulator::curand_restart(generator);
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) {
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out,
                                     std::size_t count) {
    return emulator::curand_fill(generator, out, count, [](auto* state) { return curand(state); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out,
                                            std::size_t count) {
    return emulator::curand_fill(generator, out, count,
                                 [](auto* state) { return curand_uniform(state); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out,
                                                  std::size_t count) {
    return emulator::curand_fill(generator, out, count,
                                 [](auto* state) { return curand_uniform_double(state); });
}
/// Numbers are made in pairs, so the count must be even, as in cuRAND.
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out,
                                           std::size_t count, float mean, float deviation) {
    if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return emulator::curand_fill(generator, out, count, [=](auto* state) {
        return mean + deviation * curand_normal(state);
    });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out,
                                                 std::size_t count, double mean, double deviation) {
    if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return emulator::curand_fill(generator, out, count, [=](auto* state) {
        return mean + deviation * curand_normal_double(state);
    });
}
