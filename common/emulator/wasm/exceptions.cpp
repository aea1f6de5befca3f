// What the compiler calls for throw and catch. The package of the page's compiler has no such
// library, so this is one: of the C++ ABI as much as WebAssembly's exceptions leave to do. They
// find the catch clauses and run the destructors on the way; here it is decided which clause it is.
//
// There is no search before the way out: a program that nobody catches an exception of ends when
// its destructors have run.
#include <cxxabi.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>

namespace __cxxabiv1 {

/// The base class of what libc++abi says of a type; it has no header for that.
class __shim_type_info : public std::type_info {
  public:
    ~__shim_type_info() override;
    virtual void noop1() const;
    virtual void noop2() const;
    /// Whether a clause for this type catches an object of that one. `object` then becomes what the
    /// clause is given: a base class of it, or a pointer.
    virtual bool can_catch(const __shim_type_info* thrown, void*& object) const = 0;
};

}  // namespace __cxxabiv1

namespace {

using Type = __cxxabiv1::__shim_type_info;

/// What is on its way. Lies before the object that is thrown, or is one of std::rethrow_exception().
struct alignas(16) Thrown {
    const std::type_info* type;
    void* (*destroy)(void*);
    void* object;
    void* caught;   ///< the object as the clause's type
    Thrown* below;  ///< in `handled`
    int handlers;   ///< catch clauses that it is in; negative when one of them has thrown it again
    int owners;     ///< of the object: this, and each std::exception_ptr
};

Thrown* handled = nullptr;     ///< what is being handled, the latest first
Thrown* on_its_way = nullptr;  ///< what was thrown last
unsigned uncaught_number = 0;  ///< thrown, and in no catch clause yet

Thrown* header(void* object) { return static_cast<Thrown*>(object) - 1; }

[[noreturn]] void send(Thrown* thrown) {
    constexpr int kCppException = 0;
    ++uncaught_number;
    on_its_way = thrown;
    __builtin_wasm_throw(kCppException, thrown);
}

/// As libstdc++ says it.
[[noreturn]] void say_and_abort() {
    static bool is_again = false;
    std::fflush(stdout);
    if (is_again) {
        std::fprintf(stderr, "terminate called recursively\n");
        std::abort();
    }
    is_again = true;
    if (handled == nullptr) {
        std::fprintf(stderr, "terminate called without an active exception\n");
        std::abort();
    }
    const std::type_info& type = *handled->type;
    int status = 0;
    char* const name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::fprintf(stderr, "terminate called after throwing an instance of '%s'\n",
                 status == 0 ? name : type.name());
    void* object = handled->object;
    if (static_cast<const Type&>(typeid(std::exception))
            .can_catch(static_cast<const Type*>(&type), object)) {
        std::fprintf(stderr, "  what():  %s\n", static_cast<std::exception*>(object)->what());
    }
    std::abort();
}

[[maybe_unused]] const std::terminate_handler before = std::set_terminate(say_and_abort);

/// Of the compiler's table of a function's catch clauses (gcc_except_table).
class Table {
  public:
    explicit Table(const std::uint8_t* at) : at_(at) {}

    std::size_t number() {
        std::size_t result = 0;
        unsigned shift = 0;
        std::uint8_t next = 0;
        do {
            next = *at_++;
            result |= static_cast<std::size_t>(next & 127) << shift;
            shift += 7;
        } while ((next & 128) != 0);
        sign_ = (next & 64) != 0 && shift < 32 ? ~std::size_t{0} << shift : 0;
        return result;
    }
    std::ptrdiff_t signed_number() {
        const std::size_t bits = number();
        return static_cast<std::ptrdiff_t>(bits | sign_);
    }
    void skip_byte() { ++at_; }
    const std::uint8_t* at() const { return at_; }

  private:
    const std::uint8_t* at_;
    std::size_t sign_ = 0;
};

/// The number of the clause that catches it, from 1; 0 if none does.
std::ptrdiff_t clause_for(Thrown* thrown, std::size_t try_block, const std::uint8_t* description) {
    Table table(description);
    table.skip_byte();  // how addresses are written,
    table.skip_byte();  // how types are: always as addresses
    const std::size_t bytes = table.number();
    const auto* const types = reinterpret_cast<const Type* const*>(table.at() + bytes);
    table.skip_byte();  // how these numbers are
    const std::size_t try_bytes = table.number();
    const std::uint8_t* const clauses = table.at() + try_bytes;
    std::size_t first = 0;
    for (std::size_t i = 0; i <= try_block; ++i) {
        table.number();
        first = table.number();
    }
    if (first == 0) return 0;
    for (Table clause(clauses + first - 1);;) {
        const std::ptrdiff_t number = clause.signed_number();
        const std::uint8_t* const here = clause.at();
        const std::ptrdiff_t to_next = clause.signed_number();
        if (number > 0) {
            const Type* const wanted = types[-number];
            thrown->caught = thrown->object;
            if (wanted == nullptr) return number;  // catch (...)
            if (wanted->can_catch(static_cast<const Type*>(thrown->type), thrown->caught)) {
                return number;
            }
        }
        if (to_next == 0) return 0;
        clause = Table(here + to_next);
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
    *thrown = {type, destroy, object, object, nullptr, 0, 0};
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
    --uncaught_number;
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
bool __cxa_uncaught_exception() noexcept { return uncaught_number > 0; }
unsigned __cxa_uncaught_exceptions() noexcept { return uncaught_number; }

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
    send(new (memory) Thrown{header(object)->type, nullptr, object, object, nullptr, 0, 0});
}

void __cxa_bad_cast() { throw std::bad_cast(); }
void __cxa_bad_typeid() { throw std::bad_typeid(); }
void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

/// Between the compiler and _Unwind_CallPersonality(), which it calls where a try block has clauses
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

/// Called by the page when nobody has caught what was thrown last.
__attribute__((export_name("emulator_uncaught"))) void emulator_uncaught() {
    __cxa_begin_catch(on_its_way);
    std::terminate();
}
}
}  // namespace __cxxabiv1
