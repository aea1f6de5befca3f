#include "sum_experiment.hpp"

#include "ceilings.hpp"
#include "inputs.hpp"

namespace tutorial {

std::size_t SumExperiment::device_bytes(const Options& options) const {
    return 2 * options.n * sizeof(float) + scratch_bytes(options.n);
}

void SumExperiment::prepare(const Options& options) {
    items_ = make_input<float>(options.input, n_, options.seed);
    reference_ = reference_sum(items_);
    whole_ = whole_numbers(n_, options.seed);
    d_items_ = DeviceBuffer<float>(n_);
    d_items_.upload(items_);
    d_whole_ = DeviceBuffer<float>(n_);
    d_whole_.upload(whole_.items);
    allocate(n_);
}

Verdict SumExperiment::check(std::size_t row, int) {
    const float actual = fetch();
    Verdict verdict = verify_sum(reference_, depth(row), actual);
    if (!verdict.ok) return verdict;
    note(row, actual);
    forget();
    sum(row, {d_whole_.data(), whole_.items.data(), n_});
    return verify_whole_numbers(whole_, n_, fetch());
}

Ceiling SumExperiment::ceiling() const { return read_ceiling(bytes_needed()); }

std::string SumExperiment::after(const std::vector<RowResult>&) const {
    return error_table(reference_, errors_);
}

void SumExperiment::note(std::size_t row, float actual) {
    const std::string name = rows()[row].name;
    for (const SumError& known : errors_) {
        if (known.row == name) return;
    }
    errors_.push_back({name, depth(row), actual});
}

}  // namespace tutorial
