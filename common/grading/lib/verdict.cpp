#include "verdict.hpp"

#include <nlohmann/json.hpp>

namespace grading {
namespace {

const char* text(Status status) {
    switch (status) {
        case Status::solved:
            return "solved";
        case Status::not_solved:
            return "not_solved";
        default:
            return "not_graded";
    }
}

}  // namespace

std::string json(const Verdict& verdict) {
    using Json = nlohmann::ordered_json;
    Json bars = Json::array();
    for (const Bar& bar : verdict.bars) {
        bars.push_back({{"what", bar.what},
                        {"measured", bar.measured},
                        {"relation", bar.relation},
                        {"allowed", bar.allowed},
                        {"is_met", bar.is_met}});
    }
    const Json all = {{"status", text(verdict.status)},
                      {"reason", verdict.reason},
                      {"code", verdict.code},
                      {"text", verdict.text},
                      {"file", verdict.file},
                      {"line", verdict.line},
                      {"bars", bars},
                      {"digest", verdict.digest}};
    return all.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace grading
