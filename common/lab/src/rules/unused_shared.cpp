#include "rules.hpp"

namespace lab {

void UnusedShared::launch_ends() {
    // A kernel that has nothing to do uses none, and that is no mistake.
    if (run_.launched.dynamic_bytes == 0 || !is_shared_used_ || is_dynamic_used_) return;
    const SourcePlace place = source_place(run_.launched.site);
    const FindingList::Key key = FindingList::key_of(Fault::unused, place);
    if (findings_.is_known(key)) return;
    Finding made;
    made.fault = Fault::unused;
    made.kernel = run_.launched.name;
    made.title = "unused shared memory";
    made.parties = {party_at(place, run_.launched.name,
                             fmt::format("is launched with {} of dynamic shared memory",
                                         bytes_text(run_.launched.dynamic_bytes)))};
    made.evidence =
        "No thread uses them. They are meant only for extern __shared__ arrays, and they leave "
        "less room\nfor other blocks on a multiprocessor:";
    made.advice = " leave the number out.";
    findings_.add(key, std::move(made));
}

}  // namespace lab
