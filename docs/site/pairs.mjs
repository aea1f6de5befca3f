// Which stage a strip below a heading compares with which, and in which measure.

/**
 * What the strip below a stage's heading shows: the stage beside it (the one before it in the chapter's
 * table, unless `beside` names another; null: the first, which has none), the lab's measure (a column of
 * docs/results/cpu; never one that is 0 on one side; 'sectors' unless `measure` names another) and the size at
 * which both were timed, the largest of TIMED_AT unless `n` names another. `hot`: compare hot times.
 * `steps: false`: single steps show nothing of what has changed. `says`: why count and time disagree.
 */
export const PAIRS = {
    ch01: {
        global: { beside: null },
        shared: { n: 1024 },
        grid: {
            beside: 'global',
            steps: false,
            says: 'The same traffic, but all multiprocessors share it.',
        },
        tiles: {},
        coalesced: {
            says: 'Half the traffic, and no time gained: keys are in shared memory nearly all the time.',
        },
        shuffle: { measure: 'wavefronts' },
        registers: { measure: 'wavefronts' },
        overlap: { measure: 'block_barriers' },
        unrolled: {
            measure: 'steps',
            steps: false,
            says: 'About as many steps, but no branch between them: the next can begin before one has ended.',
        },
        two_pipes: {
            measure: 'steps',
            steps: false,
            says: 'More steps, and less time: they are shared out between two pipes.',
        },
        halo: { measure: 'steps', steps: false },
        persistent: { measure: 'launches', steps: false },
    },
    ch02: {
        atomic: { beside: null, measure: 'longest_queue' },
        neighbour: {
            says: 'Traffic hardly changes. What has gone is the queue: in atomic, every item waits for the one word.',
        },
        compact: {
            measure: 'shared_requests',
            says: 'Fewer requests, and more time: each of them now takes several wavefronts, as its lanes use the same banks.',
        },
        sequential: { measure: 'wavefronts' },
    },
    ch03: {
        sequential: { beside: null, measure: 'wavefronts' },
        contiguous: {
            measure: 'wavefronts',
            says: 'Every warp now reads scattered items: the next stage is about that.',
        },
        coalesced: {
            says: 'The time falls less: the L1 cache had kept most of what a scattered read does not use.',
        },
        unrolled: { measure: 'block_barriers' },
        shuffle: {
            measure: 'wavefronts',
            says: 'By now the tree is a small part of the time: memory takes most of it.',
        },
        vector: {
            measure: 'global_requests',
            says: 'The bytes are the same: what has gone is the work of asking for them.',
        },
        in_flight: {
            says: 'The same traffic in less time: more of it is on its way at once.',
        },
        grid_stride: {
            measure: 'shuffles',
            says: 'The trees are nearly all gone, but no time is saved: memory bandwidth sets the time.',
        },
        one_pass: { measure: 'launches', n: 2 ** 20, steps: false },
        status_word: { measure: 'block_barriers', n: 2 ** 20, steps: false },
        tile_per_block: {
            says: 'The same traffic: no multiprocessor waits for a slower one.',
            steps: false,
        },
        tile_sizes: {
            n: 2 ** 18,
            steps: false,
            says: 'The same traffic, in pieces that suit n.',
        },
        one_warp: {
            measure: 'block_barriers',
            n: 2 ** 12,
            steps: false,
            says: 'What goes is a wait at the very end of a launch: a small part of its time.',
        },
        single_block: {
            measure: 'steps',
            n: 2 ** 12,
            steps: false,
            says: 'The counted items are too many for one block; the timed ones are not.',
        },
        prefetched: {
            n: 2 ** 18,
            steps: false,
            says: 'One more sector per block; it arrives with the items, and later no block waits for it.',
        },
        best_serialized: {
            steps: false,
            says: 'The same traffic: what the cache keeps has changed, and no count sees that.',
        },
        best: {
            n: 2 ** 20,
            hot: true,
            steps: false,
            says: 'The same traffic: a launch begins while the one before it ends.',
        },
    },
    ch04: {
        one_thread: { beside: null, measure: 'global_requests' },
        chunked: { measure: 'global_requests' },
        interleaved: {},
        blocks: {
            says: 'The same threads have the same reads in flight, wherever they run.',
        },
        thread0: {
            says: 'Reading takes all the time. What the host has to do is in no kernel.',
        },
        tree: {
            measure: 'wavefronts',
            says: 'The sums of a block are added with far less work, and no time is gained: reading takes all of it.',
        },
        atomic: {
            says: 'What it saves is work of the host, which is in no kernel.',
        },
        full_grid: {
            says: 'The same traffic, and all multiprocessors ask for it at once.',
        },
        shuffle: {
            measure: 'wavefronts',
            says: 'The tree was a small part of the time: reading takes nearly all of it.',
        },
        vector: { measure: 'global_requests' },
        in_flight: {
            says: 'The same traffic in less time: more of it is on its way at once.',
            steps: false,
        },
        tile_per_block: {
            steps: false,
            says: 'Reading takes nearly all of the time, and both keep the memory busy.',
        },
        streaming: {
            steps: false,
            says: 'Reading takes nearly all of the time; what the cache keeps is seen by no count.',
        },
        counted: {
            n: 2 ** 20,
            steps: false,
            says: 'What has gone is a second piece of work for the device, and no count of a kernel sees it.',
        },
        prefetched: {
            n: 2 ** 18,
            steps: false,
            says: 'One fewer wait, in a launch that has several.',
        },
        single_block: {
            n: 2 ** 10,
            steps: false,
            says: 'The counted items are too many for one block; the timed ones are not.',
        },
        tile_sizes: {
            n: 2 ** 15,
            steps: false,
            says: 'As much is read, but in more tiles: fewer multiprocessors are without one.',
        },
        best_serialized: {
            steps: false,
            says: 'A block takes two tiles only if there are very many items: the timed ones, not the counted ones.',
        },
        best: {
            n: 2 ** 20,
            hot: true,
            steps: false,
            says: 'The same traffic: a launch begins while the one before it ends.',
        },
    },
    ch05: {
        odd_even: { beside: null },
        merge_thread: {},
        merge_rank: {},
        merge_split: { steps: false },
        merge_path: { steps: false },
        merge_tiles: { steps: false },
        bitonic_block: { beside: 'odd_even' },
        bitonic_global: {
            says: 'Far more traffic than in one block, and more time as long as one block can hold all keys.',
        },
        bitonic_shared: {},
        bitonic_registers: {
            steps: false,
            says: 'At the counted size a level has at most one step beyond a tile, so there is nothing to join; at the timed size there is.',
        },
        merge_windows: {
            beside: 'merge_tiles',
            measure: 'wavefronts',
            steps: false,
            says: 'The counted keys fit into one tile, where both do the same.',
        },
        sample_sort: {
            steps: false,
            says: 'It is slower here; the stages after it show what it makes possible.',
        },
        kept_buckets: {
            steps: false,
            says: 'A few more bytes are kept, which saves a second search for every key.',
        },
        bitonic_best: { beside: 'bitonic_registers', measure: 'wavefronts' },
        register_buckets: { beside: 'kept_buckets', measure: 'wavefronts', steps: false },
        few_ways: {
            measure: 'launches',
            steps: false,
            says: 'The counted keys fit into one launch; the timed ones do not.',
        },
        ordered_tiles: {
            steps: false,
            says: 'The counted keys take one launch, where both do the same.',
        },
        computed_places: { measure: 'steps', steps: false },
        sample_best: {
            measure: 'steps',
            n: 2 ** 16,
            steps: false,
            says: 'The counted keys take one launch in both; the timed ones take several in the stage before.',
        },
    },
    ch06: {
        insert: { beside: null, measure: 'wavefronts' },
        parallel_output: {
            steps: false,
            says: 'The reads and writes that it saves are too few to matter.',
        },
        multi_pass: {
            measure: 'launches',
            n: 2 ** 16,
            steps: false,
            says: 'One more launch, so that the last one is small.',
        },
        threshold: { measure: 'wavefronts' },
        warp_queue: { measure: 'wavefronts' },
        vector_queue: { measure: 'global_requests' },
        shared_threshold: {
            measure: 'shuffles',
            says: 'In random order each warp soon has a good threshold of its own; the gain comes with keys in ascending order.',
        },
        one_launch: {
            measure: 'launches',
            n: 10 ** 6,
            says: 'A second launch is a small part of this time.',
        },
        candidate_set: { measure: 'steps', steps: false },
        next_tile: {
            measure: 'steps',
            steps: false,
            says: 'By itself it gains nothing: two blocks per multiprocessor keep the memory busy already. The next stage is built on it.',
        },
        one_read: {
            measure: 'wavefronts',
            steps: false,
            says: 'The count is nearly all start-up, in which every block collects candidates; at the timed size that is a small part.',
        },
        sample_threshold: { measure: 'wavefronts', n: 10 ** 6, steps: false },
        digit_passes: {
            steps: false,
            says: 'For 20 keys it is slower; for 1,000 it takes about the same.',
        },
        radix_select: { measure: 'launches', n: 10 ** 6, steps: false },
        segment_maxima: {
            beside: 'sample_threshold',
            measure: 'steps',
            steps: false,
            says: 'At the timed size reading takes most of the time.',
        },
        segment_lead: { measure: 'wavefronts', steps: false },
        best: {
            measure: 'steps',
            steps: false,
            says: 'It chooses the method that suits the request: here that of the stage before.',
        },
    },
};

/** Sizes at which a chapter's times are compared: the first that both stages have. */
export const TIMED_AT = {
    ch01: { setting: 'random, type=float', sizes: [65536, 1024] },
    ch02: { setting: 'random, finish=launch', sizes: [2 ** 26] },
    ch03: { setting: 'random', sizes: [2 ** 26] },
    ch04: { setting: 'random, values=digits', sizes: [2 ** 28, 2 ** 24, 2 ** 20] },
    ch05: { setting: 'random, type=int', sizes: [2 ** 24, 2 ** 20, 65536, 4096] },
    ch06: { setting: 'random, k=20 type=int adversarial=none', sizes: [2 ** 28] },
};
