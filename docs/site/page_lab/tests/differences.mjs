// Where the lab in a page says something else than the native one, each with its reason.

/** Programs of the fault gallery whose text is another one. */
export const GALLERY = {
    freed_pointer_in_struct: 'nothing is protected, so the kernel goes on after its first access',
    host_vector_too_small: "the size of the host's block of memory is not looked up",
    index_overflow: 'an address has 32 bits, so the index leads to another one',
    local_array_uninitialised:
        "clang's pattern for a variable of 32 bits is -1, which is no sign of anything",
    local_sum_uninitialised: "clang's pattern for floating-point variables is another one than g++'s",
    wild_pointer_in_struct: 'an address has 32 bits, so the pointer leads to another one',
};

/** Programs that may not end: nothing stops their stores, which overwrite the host's own memory. */
export const NOT_RUN = new Set(['device_array_overrun']);
