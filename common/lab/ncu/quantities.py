"""What is compared: Nsight Compute's metrics, and the quantities that both sides have."""

# Our name: theirs. All are sums over the launches of a kernel.
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_atom_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "global_red_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_atomic_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "local_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "effective_instructions": "smsp__thread_inst_executed_pred_on.sum",
}

# Quantity: (dividend, divisor or None, percent that the two may differ).
QUANTITIES = {
    "sectors/load": ("global_load_sectors", "global_load_requests", 2.0),
    "sectors/store": ("global_store_sectors", "global_store_requests", 2.0),
    "global load requests": ("global_load_requests", None, 2.0),
    "global store requests": ("global_store_requests", None, 2.0),
    "global atomic requests": ("global_atomic_requests", None, 2.0),
    "passes/least, shared load": ("shared_load_wavefronts", "shared_load_least", 5.0),
    "passes/least, shared store": ("shared_store_wavefronts", "shared_store_least", 5.0),
    "shared load wavefronts": ("shared_load_wavefronts", None, 5.0),
    "shared store wavefronts": ("shared_store_wavefronts", None, 5.0),
    "shared atomic wavefronts": ("shared_atomic_wavefronts", None, 5.0),
    "local load requests": ("local_requests", None, 2.0),
    "active lanes": ("thread_instructions", "instructions", 5.0),
}


def derived(measured):
    """Nsight Compute's counts of one kernel, with those derived from others."""
    counts = {name: float(measured.get(name) or 0) for name in METRICS}
    counts["global_atomic_requests"] = counts["global_atom_requests"] + counts["global_red_requests"]
    for kind in ("load", "store"):
        # Bank conflicts are the passes beyond the minimum.
        counts[f"shared_{kind}_least"] = counts[f"shared_{kind}_wavefronts"] - counts[f"shared_{kind}_conflicts"]
    return counts


def value(counts, dividend, divisor):
    """The quantity; None if the divisor is 0."""
    if divisor is None:
        return float(counts[dividend])
    return counts[dividend] / counts[divisor] if counts[divisor] else None
