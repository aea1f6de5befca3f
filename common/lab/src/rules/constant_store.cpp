#include "rules.hpp"

namespace lab {

void ConstantStore::report(const Access& access) {
    const FindingList::Key key = findings_.key_of(Fault::backend, access.site);
    if (findings_.is_known(key)) return;
    Finding made =
        finding(run_, Fault::backend, "constant_store", "store to constant memory",
                party(run_, access,
                      fmt::format("writes {},", target(run_, access.address, access.bytes).item)));
    made.parties.front().call = {};
    made.evidence = "A kernel can only read __constant__ memory:";
    made.advice =
        " declare the variable __device__, or let the host write it\nwith "
        "cudaMemcpyToSymbol.";
    findings_.add(key, std::move(made));
}

}  // namespace lab
