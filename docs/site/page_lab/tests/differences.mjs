// Where the browser lab's output differs from the native lab's, each with its reason.

/** Programs of the fault gallery whose report has a different text here. */
export const GALLERY = {
    allocation_of_a_pointers_size: 'a pointer has 4 bytes',
    barrier_in_an_uneven_loop: 'clang stores in another order, so other lines of the loop race',
    barrier_in_some_rounds:
        'g++ and clang load the items of one comparison differently: other numbers of times',
    barrier_used_before_init: 'the line of an access in a call may be that of the statement before it',
    begins_of_parts_copied_in_items:
        'an address has 32 bits: the arbitrary index leads to an item of the array',
    copy_of_a_pointers_size: 'a pointer has 4 bytes',
    escaped_shared_pointer: 'a pointer has 4 bytes: where it is stored, it cannot be told from an int',
    floats_through_a_double_pointer: 'nothing is protected, so the kernel goes on after its first access',
    freed_in_a_loop_of_launches: 'nothing is protected, so the kernel goes on after its first access',
    freed_pointer_in_struct: 'nothing is protected, so the kernel goes on after its first access',
    functor_with_a_reference: 'a pointer has 4 bytes: in a struct, it cannot be told from an int',
    hits_of_several_frames: 'nothing is protected, so the kernel goes on after its first access',
    host_array_in_constant_struct: 'a pointer has 4 bytes: in a struct, it cannot be told from an int',
    host_function_pointer: 'a function has no address: its number in a table looks like any other number',
    host_object_with_virtual:
        'tables of virtual functions are among the variables, and are not told apart from them',
    host_pointer_in_struct: 'a pointer has 4 bytes: in a struct, it cannot be told from an int',
    host_reads_past_a_vector: "the size of the host's block of memory is not looked up",
    host_vector_too_small: "the size of the host's block of memory is not looked up",
    index_overflow: 'an address has 32 bits, so the index leads to another one',
    lambda_of_a_member: "g++ and clang name a lambda's type differently",
    last_part_past_a_vector: "the size of the host's block of memory is not looked up",
    malloc_into_a_device_struct: 'a pointer has 4 bytes',
    malloc_into_a_device_table: 'a pointer has 4 bytes',
    managed_memory_deleted: 'nothing knows who has called operator delete',
    memory_of_a_temporary: 'nothing is protected, so the kernel goes on after its first access',
    mirrored_without_minus_one: 'clang tests the first of two indices, g++ only what they lead to',
    moved_without_its_pointer: 'nothing is protected, so the kernel goes on after its first access',
    one_byte_per_pixel: 'stores past the array change what the program needs itself',
    one_generator_for_all: 'clang keeps the state in a register between the lines that change it',
    pairs_for_too_many_threads: 'stores past the array change what the program needs itself',
    place_read_before_it_is_set: 'an address has 32 bits: the index wraps round to an item before the first',
    pointer_copied_to_a_symbol: 'a pointer has 4 bytes',
    pointer_to_a_local_of_an_ended_kernel:
        'a pointer has 4 bytes: where it is stored, it cannot be told from an int',
    pointer_to_a_local_variable: 'a pointer has 4 bytes: where it is stored, it cannot be told from an int',
    pointer_to_an_ended_function: 'where the stack ends is not known; clang warns of the line',
    printf_not_waited_for: 'output that the host has not waited for is shown at the end, and not lost',
    kernel_heap_for_one_thread: 'item 199999 of a null pointer is in memory that the program has',
    lambda_by_reference: "g++ and clang name a lambda's type differently",
    registered_vector_ends_too_early: 'nothing knows who has called operator delete',
    right_flag_of_host_function: 'a page has one thread: std::thread is refused by name',
    right_host_threads: 'a page has one thread: std::thread is refused by name',
    room_for_one_of_several_slices: 'stores past the array change what the program needs itself',
    rows_of_a_turned_matrix: 'nothing is protected, so the kernel goes on after its first access',
    search_without_an_end: 'it goes on until it finds a 0 behind the array, and other memory lies there',
    size_that_overflows: 'an address has 32 bits: 8 GiB past the array is in it',
    size_of_the_pointer: 'a pointer has 4 bytes',
    struct_copied_with_its_pointer: 'a pointer has 4 bytes: in a struct, it cannot be told from an int',
    table_of_the_host_in_a_functor: 'a pointer has 4 bytes: in a struct, it cannot be told from an int',
    time_of_the_launch_alone: 'a page does not see which clocks its program reads',
    tile_of_other_shape: 'clang tests the first of two indices, g++ only what they lead to',
    use_after_free: 'nothing is protected, so the kernel goes on after its first access',
    countdown_of_an_unsigned: 'an address has 32 bits: the index wraps round to the item before the first',
    unsigned_below_zero: 'an address has 32 bits: the index wraps round to the item before the first',
    wild_pointer_in_struct: 'an address has 32 bits, so the pointer leads to another one',
};

/** A program that takes too long: endless_loop, of one thread, has 15 times the time limit. */
export const NOT_RUN = new Set(['endless_loop']);

/** Those of a kernel's counts whose numbers differ. */
export const COUNTS = {
    steps: 'basic blocks, which two compilers cut differently',
    lane_steps: 'as steps',
    longest_thread: 'as steps',
};

/** Files of the emulator's own tests that are not compiled for a page. */
const PROCESSES = 'its cases start a program of their own, and a page has no processes';
export const NOT_COMPILED = {
    'host_calls_test.cu': PROCESSES,
    'settings_test.cu': PROCESSES,
    'printf_test.cu': 'it turns its standard output into a file by dup2(), which a page does not have',
};

/** Their test cases that are not run in a browser: whether they pass there depends on the machine's speed. */
export const NO_TEST_CASES = {
    "waiting: another worker's block is polled now and then, since each poll is counted":
        'a page has one worker',
};

/** Their test cases that fail in a browser. */
export const TEST_CASES = {
    'kernel faults: a stack that is used up': 'a page has no environment variables to advise',
    'launch limits: dynamic shared memory, and what to call for more': 'a size has 32 bits: 4 GiB are 0',
    'branches within a call rejoin within it':
        'clang leaves out a call that stores what the one before it has stored',
    'a struct that is aligned to 4 bytes is copied word by word':
        'a structure of 8 or 16 bytes is taken for one that is aligned so',
    'half: rounding modes, and sums of products of bytes': 'WebAssembly rounds to the nearest value only',
    'pointers: null': '0 is an address of the memory: Faults finds it, a run does not',
    'pointers: far outside of every allocation': 'an address has 32 bits: item 2^30 is item 0',
    'allocations: too much names what was asked for and what there is': 'a size has 32 bits: 1 PiB is 0',
    'kernel calls: several host threads launch at once':
        'a page has one thread: std::thread is refused by name',
    'memory: too much': 'a size has 32 bits: 1 PiB is 0',
    'kernel faults: an index that has overflowed':
        'an address has 32 bits, so the index leads to another one',
};

/** Lines for which g++ and clang make different accesses, by their text, and if necessary with their stage. */
const TWO_LINES = 'a conditional of two lines: g++ has both loads in the first';
export const COUNTED_LINES = {
    'const SortKey key = from[i];': 'clang has the value from the line before',
    'key[i] = (i & kRunRows) == 0 ? forwards[i * kStripe<SortKey>]': TWO_LINES,
    ': backwards[(i ^ (kRunRows - 1)) * kStripe<SortKey>];': TWO_LINES,
    'for (unsigned i = 0; i < k; ++i) mine[i] = top[i];':
        'lanes without a key skip insert_value(), one function to g++ and two callers of it: where it returns to ' +
        'is not told apart, so they join the others later; clang has it in each caller',
    'atomicAdd(&control->equal, 1u) >= control->left)) {':
        'control->left, which two lines ask for: clang loads it once, g++ once for each',
    'radix.before = {0, 0};': 'clang stores both numbers at once',
};
