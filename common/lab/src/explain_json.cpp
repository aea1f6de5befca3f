#include "explain.hpp"
#include "json_text.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"

namespace lab {

static Json json_of(const Row& row) {
    const Traffic& t = row.traffic;
    Json json{{"file", file_name(row.file)},
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
        json.add("turns", t.turns);
        json.add("longest_queue", t.longest_queue);
    }
    return json;
}

static Json json_of(const Extents& e) { return Json::array({e.x, e.y, e.z}); }

static Json json_of(const Shape& s) {
    return {{"grid", json_of(s.grid)},
            {"block", json_of(s.block)},
            {"dynamic_bytes", s.dynamic_bytes},
            {"launches", s.launches}};
}

static Json json_of(const KernelReport& k) {
    const Shape first = k.shapes.empty() ? Shape{} : k.shapes.front();
    return {{"kernel", k.name},
            {"launches", k.launches},
            {"blocks", k.blocks},
            {"threads", k.threads},
            {"warps", k.warps},
            {"grid", json_of(first.grid)},
            {"block", json_of(first.block)},
            {"dynamic_bytes", first.dynamic_bytes},
            {"shapes", Json::array_of(k.shapes)},
            {"barriers", k.barriers},
            {"grid_barriers", k.grid_barriers},
            {"exchanges", k.exchanges},
            {"warp_barriers", k.warp_barriers},
            {"atomics", k.atomics},
            {"steps", k.steps},
            {"lane_steps", k.lane_steps},
            {"longest_thread", k.longest_thread},
            {"notice", k.notice},
            {"rows", Json::array_of(k.rows)}};
}

static Json json_of(const ExplainedStage& s) {
    return {{"stage", s.stage},
            {"idea", s.idea},
            {"check", s.check},
            {"message", s.message},
            {"bytes_needed", s.bytes_needed},
            {"kernels", Json::array_of(s.report.kernels)}};
}

// docs/tools/recordings.py reads this layout.

std::string json(const Report& report) { return Json::array_of(report.kernels).indented(); }

std::string program_json(const Report& report, bool exact) {
    return Json{{"schema", "tutorial-program-counts-1"},
                {"exact", exact},
                {"kernels", Json::array_of(report.kernels)}}
        .indented();
}

std::string explain_json(const ExplainedRun& run) {
    return Json{{"schema", "tutorial-explain-1"},
                {"chapter", run.chapter},
                {"n", run.n},
                {"input", run.input},
                {"seed", run.seed},
                {"order", run.order},
                {"options", run.options},
                {"stages", Json::array_of(run.stages)}}
        .indented();
}

}  // namespace lab
