// Puts the lab into a chapter's program: it installs itself as the harness's analysis.
#include <algorithm>
#include <functional>

#include "common/harness/analysis.hpp"
#include "explain_chapter.hpp"
#include "lab/lab.hpp"

namespace {

class ChapterLab : public tutorial::Analysis {
  public:
    void count(const std::function<void()>& run, const std::function<void()>& reset) override {
        report_ = lab::count(run, reset);
    }

    void add_to(tutorial::Counts& counts) const override {
        const lab::Traffic global = report_.total(lab::Space::global);
        const lab::Traffic shared = report_.total(lab::Space::shared);
        counts.has_traffic = true;
        counts.global_requests = global.requests;
        counts.sectors = global.sectors;
        counts.least_sectors = global.least_sectors;
        counts.longest_queue = std::max(global.longest_queue, shared.longest_queue);
        counts.shared_requests = shared.requests;
        counts.wavefronts = shared.wavefronts;
        counts.least_wavefronts = shared.least_wavefronts;
        for (const lab::KernelReport& kernel : report_.kernels) {
            counts.steps += kernel.steps;
            counts.lane_steps += kernel.lane_steps;
        }
    }

    void begin(const tutorial::Options&) override { lab::start_fault_detection(); }

    bool show(tutorial::Experiment& experiment, const std::vector<std::size_t>& selected,
              const tutorial::RunInfo& run, std::FILE* out, tutorial::StatusLine& status) override {
        return run.options.explain && !run.options.faults && run.options.trace.empty()
                   ? lab::explain_rows(experiment, selected, run, out, status)
                   : lab::find_faults(experiment, selected, run, out, status);
    }

  private:
    lab::Report report_;
};

[[maybe_unused]] const bool is_installed = [] {
    tutorial::analysis() = new ChapterLab;
    return true;
}();

}  // namespace
