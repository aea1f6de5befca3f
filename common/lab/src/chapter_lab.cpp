// Puts the lab into a chapter's program.
#include "common/harness/lab.hpp"

#include "explain.hpp"
#include "lab/lab.hpp"

namespace {

class ChapterLab : public tutorial::Lab {
  public:
    void count(const std::function<void()>& run, const std::function<void()>& reset) override {
        report_ = lab::count(run, reset);
    }

    void watch_faults() override { lab::watch_faults(); }

    void start_trace(const std::string& file) override { lab::start_trace(file); }
    void stop_trace() override { lab::stop_trace(); }

    std::vector<std::string> take_faults(std::string* notice) override {
        std::vector<std::string> texts;
        for (const lab::Finding& each : lab::take_findings(notice)) texts.push_back(each.text);
        return texts;
    }

    void add_to(tutorial::Counts& counts) const override {
        const lab::Traffic global = report_.total(lab::Space::global);
        const lab::Traffic shared = report_.total(lab::Space::shared);
        counts.has_traffic = true;
        counts.global_requests = global.requests;
        counts.sectors = global.sectors;
        counts.least_sectors = global.least_sectors;
        counts.shared_requests = shared.requests;
        counts.wavefronts = shared.wavefronts;
        counts.least_wavefronts = shared.least_wavefronts;
        for (const lab::KernelReport& kernel : report_.kernels) {
            counts.steps += kernel.steps;
            counts.lane_steps += kernel.lane_steps;
        }
    }

    std::string text(std::size_t bytes_needed) const override {
        return lab::explain_text(report_, bytes_needed);
    }

    std::string json() const override { return lab::json(report_); }

  private:
    lab::Report report_;
};

[[maybe_unused]] const bool is_installed = [] {
    tutorial::set_lab(new ChapterLab);
    return true;
}();

}  // namespace
