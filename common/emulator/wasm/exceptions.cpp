// The C++ library of the page's compiler has no exceptions (no __cxa_throw, no unwinder): a throw
// ends the program, with the words that another system has for an exception that nobody catches.
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

namespace __cxxabiv1 {

// What libc++abi says of the type of a class; it has no header for that.
class __class_type_info : public std::type_info {
  public:
    ~__class_type_info() override;
    virtual void noop1() const;
    virtual void noop2() const;
};

/// Of a class with one base class, at its beginning.
class __si_class_type_info : public __class_type_info {
  public:
    ~__si_class_type_info() override;
    const __class_type_info* __base_type;
};

}  // namespace __cxxabiv1

namespace {

/// Whether the object, of this type, begins with a std::exception.
bool is_exception(const std::type_info* type) {
    while (type != nullptr && *type != typeid(std::exception)) {
        const auto* const derived = dynamic_cast<const __cxxabiv1::__si_class_type_info*>(type);
        type = derived != nullptr ? derived->__base_type : nullptr;
    }
    return type != nullptr;
}

}  // namespace

namespace __cxxabiv1 {
extern "C" {

void* __cxa_allocate_exception(std::size_t bytes) noexcept { return std::malloc(bytes); }
void __cxa_free_exception(void* at) noexcept { std::free(at); }

void __cxa_throw(void* object, std::type_info* type, void* (*)(void*)) {
    int status = 0;
    char* const name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
    std::fflush(stdout);
    std::fprintf(stderr, "terminate called after throwing an instance of '%s'\n",
                 status == 0 ? name : type->name());
    if (is_exception(type)) {
        std::fprintf(stderr, "  what():  %s\n", static_cast<std::exception*>(object)->what());
    }
    std::fprintf(stderr, "(In a page an exception cannot be caught.)\n");
    std::abort();
}

void* __cxa_begin_catch(void*) noexcept { std::abort(); }
void __cxa_end_catch() { std::abort(); }
void __cxa_rethrow() { std::abort(); }
}
}  // namespace __cxxabiv1
