#include <nlohmann/json.hpp>

#include "explain.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"

namespace lab {
using Json = nlohmann::ordered_json;

// The library looks for functions of this name.
static void to_json(Json& json, const Row& row) {
    const Traffic& t = row.traffic;
    json = {{"file", file_name(row.file)},
            {"line", row.line},
            {"source", row.source},
            {"operation", text(row.operation)},
            {"space", text(row.space)},
            {"requests", t.requests},
            {"lanes", t.lanes},
            {"bytes", t.bytes},
            {"sectors", t.sectors},
            {"least_sectors", t.least_sectors},
            {"wavefronts", t.wavefronts},
            {"least_wavefronts", t.least_wavefronts}};
    if (row.operation == Operation::atomic) {
        json["turns"] = t.turns;
        json["longest_queue"] = t.longest_queue;
    }
}

static void to_json(Json& json, const Extents& e) { json = {e.x, e.y, e.z}; }

static void to_json(Json& json, const Shape& s) {
    json = {{"grid", s.grid},
            {"block", s.block},
            {"dynamic_bytes", s.dynamic_bytes},
            {"launches", s.launches}};
}

static void to_json(Json& json, const KernelReport& k) {
    const Shape first = k.shapes.empty() ? Shape{} : k.shapes.front();
    json = {{"kernel", k.name},
            {"launches", k.launches},
            {"blocks", k.blocks},
            {"threads", k.threads},
            {"warps", k.warps},
            {"grid", first.grid},
            {"block", first.block},
            {"dynamic_bytes", first.dynamic_bytes},
            {"shapes", k.shapes},
            {"barriers", k.barriers},
            {"grid_barriers", k.grid_barriers},
            {"exchanges", k.exchanges},
            {"warp_barriers", k.warp_barriers},
            {"atomics", k.atomics},
            {"steps", k.steps},
            {"lane_steps", k.lane_steps},
            {"longest_thread", k.longest_thread},
            {"notice", k.notice},
            {"rows", k.rows}};
}

static void to_json(Json& json, const ExplainedStage& s) {
    json = {{"stage", s.stage},
            {"idea", s.idea},
            {"check", s.check},
            {"message", s.message},
            {"bytes_needed", s.bytes_needed},
            {"kernels", s.report.kernels}};
}

/// As Python's json.dump(..., indent=1) lays it out: docs/tools/recordings.py writes such files,
/// too.
static std::string text_of(const Json& json) {
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string json(const Report& report) { return text_of(report.kernels); }

std::string program_json(const Report& report, bool exact) {
    return text_of(
        {{"schema", "tutorial-program-counts-1"}, {"exact", exact}, {"kernels", report.kernels}});
}

std::string explain_json(const ExplainedRun& run) {
    return text_of({{"schema", "tutorial-explain-1"},
                    {"chapter", run.chapter},
                    {"n", run.n},
                    {"input", run.input},
                    {"seed", run.seed},
                    {"order", run.order},
                    {"options", run.options},
                    {"stages", run.stages}});
}

}  // namespace lab
