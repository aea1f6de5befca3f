#include "recorded.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tutorial {
namespace {

namespace fs = std::filesystem;

/// A CSV whose columns are found by name.
class Table {
  public:
    explicit Table(const fs::path& file) : stream_(file) {
        std::string line;
        if (std::getline(stream_, line)) header_ = split_csv_line(line);
    }
    bool next() {
        std::string line;
        if (!std::getline(stream_, line)) return false;
        fields_ = split_csv_line(line);
        return true;
    }
    std::string operator[](const char* name) const {
        const auto at = std::find(header_.begin(), header_.end(), name) - header_.begin();
        return static_cast<std::size_t>(at) < fields_.size() ? fields_[at] : std::string();
    }

  private:
    std::ifstream stream_;
    std::vector<std::string> header_;
    std::vector<std::string> fields_;
};

/// The number in a field; 0 if there is none.
double number(const std::string& field) {
    try {
        return std::stod(field);
    } catch (const std::exception&) {
        return 0.0;
    }
}

/// Every matching size of one file; of runs with several seeds the first one.
std::map<std::size_t, RecordedTimes> read(const fs::path& file, const std::string& input,
                                          const std::string& options) {
    std::map<std::size_t, RecordedTimes> sizes;
    Table row(file);
    while (row.next()) {
        const double cold_us = number(row["cold_us"]);
        if (row["backend"] != "gpu" || row["kind"] != "stage" || row["check"] != "ok") continue;
        if (row["input"] != input || row["options"] != options || !(cold_us > 0.0)) continue;
        const auto n = static_cast<std::size_t>(number(row["n"]));
        RecordedTimes& times = sizes[n];
        times.device = row["device"];
        times.cuda = row["cuda"];
        times.date = row["date"].substr(0, 10);
        times.n = n;
        times.cold_seconds.emplace(row["stage"], cold_us * 1e-6);
    }
    return sizes;
}

}  // namespace

std::vector<std::string> split_csv_line(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else if (c != '\r') {
            fields.back() += c;
        }
    }
    return fields;
}

std::string short_device_name(const std::string& device) {
    const std::string maker = "NVIDIA ";
    return device.rfind(maker, 0) == 0 ? device.substr(maker.size()) : device;
}

std::optional<RecordedTimes> recorded_times(const std::string& folder, const std::string& chapter,
                                            std::size_t n, const std::string& input,
                                            const std::string& options) {
    if (n == 0) return std::nullopt;
    std::error_code failed;
    std::vector<fs::path> machines;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
        if (at->path().filename() != "cpu") machines.push_back(at->path());
    }
    std::sort(machines.rbegin(), machines.rend());
    for (const fs::path& machine : machines) {
        const auto sizes =
            read(machine / (chapter.substr(0, chapter.find('_')) + ".csv"), input, options);
        if (sizes.empty()) continue;
        const auto exact = sizes.find(n);
        if (exact != sizes.end()) return exact->second;
        const auto distance = [&](const RecordedTimes& times) {
            return std::abs(std::log2(static_cast<double>(times.n) / static_cast<double>(n)));
        };
        const RecordedTimes* best = nullptr;
        for (const auto& [size, times] : sizes) {
            if (size == 0) continue;
            const bool better = best == nullptr ||
                                times.cold_seconds.size() > best->cold_seconds.size() ||
                                (times.cold_seconds.size() == best->cold_seconds.size() &&
                                 distance(times) < distance(*best));
            if (better) best = &times;
        }
        if (best != nullptr) return *best;
    }
    return std::nullopt;
}

std::optional<RecordedTimes> recorded_times(const std::string& chapter, std::size_t n,
                                            const std::string& input, const std::string& options) {
#ifdef TUTORIAL_RESULTS
    return recorded_times(TUTORIAL_RESULTS, chapter, n, input, options);
#else
    (void)chapter, (void)n, (void)input, (void)options;
    return std::nullopt;
#endif
}

}  // namespace tutorial
