// What the compiler calls for throw and catch. The browser lab's compiler has no such library, so
// this is one: the part of the C++ ABI that WebAssembly's exceptions leave to do. They find the
// catch clauses and run the destructors on the way; this file decides which clause it is.
//
// There is no search before unwinding: after an uncaught exception a program ends when its
// destructors have run.
#include <cxxabi.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

namespace __cxxabiv1 {

/// The base class of libc++abi's type information; it has no header for that.
class __shim_type_info : public std::type_info {
  public:
    ~__shim_type_info() override;
    virtual void noop1() const;
    virtual void noop2() const;
    /// Whether a clause for this type catches an object of that one. `object` then becomes what the
    /// clause receives: a base class of it, or a pointer.
    virtual bool can_catch(const __shim_type_info* thrown, void*& object) const = 0;
};

}  // namespace __cxxabiv1

namespace {

using Type = __cxxabiv1::__shim_type_info;

/// An exception in flight. Lies before the thrown object, or belongs to std::rethrow_exception().
struct alignas(16) Thrown {
    const std::type_info* type;
    void* (*destroy)(void*);
    void* object;
    void* caught;   ///< the object as the clause's type
    Thrown* below;  ///< in `handled`
    Thrown* under;  ///< in `on_its_way`
    int handlers;   ///< catch clauses that it is in; negative when one of them has rethrown it
    int owners;     ///< of the object: this, and each std::exception_ptr
};

Thrown* handled = nullptr;     ///< those in a catch clause, the latest first
Thrown* on_its_way = nullptr;  ///< those in none, the latest first: destructors can also throw

Thrown* header(void* object) { return static_cast<Thrown*>(object) - 1; }

[[noreturn]] void send(Thrown* thrown) {
    constexpr int kCppException = 0;
    thrown->under = on_its_way;
    on_its_way = thrown;
    __builtin_wasm_throw(kCppException, thrown);
}

/// With libstdc++'s message.
[[noreturn]] void say_and_abort() {
    std::fflush(stdout);
    // The compiler ends a noexcept function without a clause.
    const Thrown* const thrown = on_its_way != nullptr ? on_its_way : handled;
    if (thrown == nullptr) {
        std::fprintf(stderr, "terminate called without an active exception\n");
        std::abort();
    }
    const std::type_info& type = *thrown->type;
    int status = 0;
    char* const name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::fprintf(stderr, "terminate called after throwing an instance of '%s'\n",
                 status == 0 ? name : type.name());
    void* object = thrown->object;
    if (static_cast<const Type&>(typeid(std::exception))
            .can_catch(static_cast<const Type*>(&type), object)) {
        std::fprintf(stderr, "  what():  %s\n", static_cast<std::exception*>(object)->what());
    }
    std::abort();
}

[[maybe_unused]] const std::terminate_handler before = std::set_terminate(say_and_abort);

/// A number in the compiler's table, which has a variable length (LEB128).
std::ptrdiff_t number(const std::uint8_t*& at, bool is_signed = false) {
    std::size_t result = 0;
    unsigned shift = 0;
    std::uint8_t next = 0;
    do {
        next = *at++;
        result |= std::size_t{next & 127u} << shift;
        shift += 7;
    } while ((next & 128) != 0);
    if (is_signed && (next & 64) != 0 && shift < 32) result |= ~std::size_t{0} << shift;
    return static_cast<std::ptrdiff_t>(result);
}

/// The number of the clause that catches it, from 1; 0 if none does. `at`: the compiler's table of
/// a function's clauses (gcc_except_table).
std::ptrdiff_t clause_for(Thrown* thrown, std::size_t try_block, const std::uint8_t* at) {
    at += 2;  // how addresses and types are written: always as addresses
    const std::ptrdiff_t to_types = number(at);
    const auto* const types = reinterpret_cast<const Type* const*>(at + to_types);
    ++at;  // how the numbers of try blocks are written
    const std::ptrdiff_t to_clauses = number(at);
    const std::uint8_t* const clauses = at + to_clauses;
    std::ptrdiff_t first = 0;
    for (std::size_t i = 0; i <= try_block; ++i) {
        number(at);
        first = number(at);
    }
    if (first == 0) return 0;
    for (at = clauses + first - 1;;) {
        const std::ptrdiff_t clause = number(at, true);
        const std::uint8_t* const here = at;
        const std::ptrdiff_t to_next = number(at, true);
        if (clause > 0) {
            const Type* const wanted = types[-clause];
            thrown->caught = thrown->object;
            const bool catches_all = wanted == nullptr;
            if (catches_all ||
                wanted->can_catch(static_cast<const Type*>(thrown->type), thrown->caught)) {
                return clause;
            }
        }
        if (to_next == 0) return 0;
        at = here + to_next;
    }
}

}  // namespace

namespace __cxxabiv1 {
extern "C" {

void* __cxa_allocate_exception(std::size_t bytes) noexcept {
    void* const memory = std::malloc(sizeof(Thrown) + bytes);
    if (memory == nullptr) std::terminate();
    return static_cast<Thrown*>(memory) + 1;
}
void __cxa_free_exception(void* object) noexcept { std::free(header(object)); }

__cxa_exception* __cxa_init_primary_exception(void* object, std::type_info* type,
                                              void* (*destroy)(void*)) noexcept {
    Thrown* const thrown = header(object);
    *thrown = {type, destroy, object, object, nullptr, nullptr, 0, 0};
    return reinterpret_cast<__cxa_exception*>(thrown);
}

void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
    __cxa_init_primary_exception(object, type, destroy);
    header(object)->owners = 1;
    send(header(object));
}

void __cxa_increment_exception_refcount(void* object) noexcept {
    if (object != nullptr) ++header(object)->owners;
}
void __cxa_decrement_exception_refcount(void* object) noexcept {
    if (object == nullptr || --header(object)->owners > 0) return;
    if (header(object)->destroy != nullptr) header(object)->destroy(object);
    __cxa_free_exception(object);
}

void* __cxa_get_exception_ptr(void* thrown) noexcept {
    return static_cast<Thrown*>(thrown)->caught;
}

void* __cxa_begin_catch(void* what) noexcept {
    Thrown* const thrown = static_cast<Thrown*>(what);
    if (thrown->handlers < 0) thrown->handlers = -thrown->handlers;
    if (thrown->handlers++ == 0) {
        thrown->below = handled;
        handled = thrown;
    }
    on_its_way = thrown->under;
    return thrown->caught;
}

void __cxa_end_catch() {
    Thrown* const thrown = handled;
    const bool is_thrown_again = thrown->handlers < 0;
    thrown->handlers += is_thrown_again ? 1 : -1;
    if (thrown->handlers != 0) return;
    handled = thrown->below;
    if (is_thrown_again) return;
    void* const object = thrown->object;
    if (thrown != header(object)) std::free(thrown);
    __cxa_decrement_exception_refcount(object);
}

void __cxa_rethrow() {
    if (handled == nullptr) std::terminate();
    handled->handlers = -handled->handlers;
    send(handled);
}

std::type_info* __cxa_current_exception_type() {
    return handled != nullptr ? const_cast<std::type_info*>(handled->type) : nullptr;
}
bool __cxa_uncaught_exception() noexcept { return on_its_way != nullptr; }
unsigned __cxa_uncaught_exceptions() noexcept {
    unsigned number = 0;
    for (const Thrown* each = on_its_way; each != nullptr; each = each->under) ++number;
    return number;
}

/// What std::current_exception() and std::rethrow_exception() call.
void* __cxa_current_primary_exception() noexcept {
    void* const object = handled != nullptr ? handled->object : nullptr;
    __cxa_increment_exception_refcount(object);
    return object;
}
void __cxa_rethrow_primary_exception(void* object) {
    void* const memory = std::malloc(sizeof(Thrown));
    if (memory == nullptr || object == nullptr) std::terminate();
    __cxa_increment_exception_refcount(object);
    send(new (memory)
             Thrown{header(object)->type, nullptr, object, object, nullptr, nullptr, 0, 0});
}

void __cxa_bad_cast() { throw std::bad_cast(); }
void __cxa_bad_typeid() { throw std::bad_typeid(); }
void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

/// Between the compiler and _Unwind_CallPersonality(), which it calls if a try block has clauses
/// for several types.
struct {
    std::size_t try_block;
    const std::uint8_t* description;
    std::ptrdiff_t clause;
} __wasm_lpad_context;

int _Unwind_CallPersonality(void* thrown) {
    __wasm_lpad_context.clause =
        clause_for(static_cast<Thrown*>(thrown), __wasm_lpad_context.try_block,
                   __wasm_lpad_context.description);
    return 0;
}

/// Called by the browser lab when an exception has left main() or a kernel.
__attribute__((export_name("emulator_uncaught"))) void emulator_uncaught() {
    __cxa_begin_catch(on_its_way);
    std::terminate();
}

/// The C++ library of the browser lab's compiler is compiled without exceptions. Where it would
/// throw, it calls this, with the exception's name: 'out_of_range was thrown in -fno-exceptions
/// mode with message "%s"'.
[[noreturn]] void __abort_message(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const std::string_view text = format;
    const std::string name(text.substr(0, text.find(" was thrown")));
    const bool has_message = text.find("with message") != text.npos;
    va_list copy;
    va_copy(copy, arguments);
    const std::string message = has_message ? va_arg(copy, const char*) : "";
    va_end(copy);
    if (name == "bad_alloc") throw std::bad_alloc();
    if (name == "bad_array_new_length") throw std::bad_array_new_length();
    if (name == "bad_cast") throw std::bad_cast();
    if (name == "invalid_argument") throw std::invalid_argument(message);
    if (name == "length_error") throw std::length_error(message);
    if (name == "out_of_range") throw std::out_of_range(message);
    if (name == "overflow_error") throw std::overflow_error(message);
    if (name == "runtime_error") throw std::runtime_error(message);
    std::fflush(stdout);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    std::abort();
}
}
}  // namespace __cxxabiv1

/// Its other name: std::__libcpp_verbose_abort(), which the header declares as not throwing.
[[noreturn]] void library_ends(const char* format,
                               ...) __asm__("_ZNSt3__222__libcpp_verbose_abortEPKcz")
    __attribute__((alias("__abort_message")));
