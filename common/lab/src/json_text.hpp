// JSON that the lab writes: values in the order in which they are given, as text. The lab reads
// none; a library that also parses JSON adds three seconds of compile time to each file that
// includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab {

class Json {
  public:
    struct Member;

    Json(std::nullptr_t) : text_("null") {}
    Json(const char* text);
    Json(const std::string& text);
    template <class Number, class = std::enable_if_t<std::is_integral_v<Number>>>
    Json(Number value) {
        if constexpr (std::is_same_v<Number, bool>) {
            text_ = value ? "true" : "false";
        } else {
            text_ = std::to_string(value);
        }
    }
    /// An object: {{"file", name}, {"line", 7}}.
    Json(std::initializer_list<Member> members);
    static Json array(std::vector<Json> items = {});
    /// An array of what json_of() makes of each item.
    template <class Items>
    static Json array_of(const Items& items) {
        std::vector<Json> made;
        for (const auto& each : items) made.push_back(json_of(each));
        return array(std::move(made));
    }

    /// Appends to an array.
    void push_back(Json item) { items_.push_back(std::move(item)); }
    /// Appends to an object.
    void add(const char* key, Json value);

    /// On one line.
    std::string text() const;
    /// A line for each object that holds no other, so that a row of a table is a line.
    std::string indented() const;

  private:
    enum class Kind : std::uint8_t { scalar, array, object };

    bool holds_object() const;
    void write(std::string& out, int depth) const;

    Kind kind_ = Kind::scalar;
    std::string text_;  ///< of a scalar
    std::vector<std::string> keys_;
    std::vector<Json> items_;
};

struct Json::Member {
    const char* key;
    Json value;
};

}  // namespace lab
