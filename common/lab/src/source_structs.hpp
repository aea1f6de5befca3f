// Sizes of types, and where the members of a struct are, as far as its definition in the source
// shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lab {

/// The bytes of a number, or of a vector of numbers such as float4; 0: not known.
std::size_t size_of_type(const std::string& type);

/// The integer in a member of an object: `w` of "Image", which has so many bytes there. None: the
/// definition is not in the file, has members of other sizes than numbers and pointers, or is not
/// of an object of that size; or the member is no integer.
std::optional<std::int64_t> integer_member(const std::string& file, const std::string& type,
                                           const std::string& member, const void* object,
                                           std::size_t bytes);

/// A pointer, or a reference, in a struct.
struct PointerMember {
    std::string name;  ///< "samples"; empty: not known
    int line = 0;      ///< of its declaration; 0: not known
    bool is_reference = false;
};
/// The one that is so many bytes from the begin of an object of a struct, or of an array of them;
/// no name: the definition is not in the file, or the member is no pointer.
PointerMember pointer_member(const std::string& file, const std::string& type, std::size_t offset);

/// The same for an integer in an object of so many bytes.
std::string integer_at(const std::string& file, const std::string& type, std::size_t offset,
                       std::size_t bytes);

}  // namespace lab
