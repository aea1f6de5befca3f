#!/usr/bin/env python3
"""cures_test.py BUILD PROGRAM.cu…: applies the fix that the lab suggests, and runs the lab again.

An eighth of the programs each day, and those that have changed. For each program of the fault gallery the report's
fix (its code and its place, as JSON) becomes an edit of the source; the edited program is compiled and run, until
nothing is found. Then it must also have ended with 0. A fix that names two alternatives ("or between two rounds of
the loop") may need the second.
NOT_EDITED lists the programs for which a code and a place are not enough, with the reason.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
COMMON = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(COMMON), str(COMMON / "emulator")]
import translate  # noqa: E402
from building.turn import changed_files, todays_part  # noqa: E402

MAX_ROUNDS = 8
# "A[i]", "*p", "name", "s[t].x": what an assignment's left side may be.
LEFT = r"(?P<left>\*?[\w.]+(?:\[[^=]*?\])*(?:\.\w+)?)"
ASSIGNMENT = re.compile(rf"(?P<before>^\s*|[;{{)] ?){LEFT} (?P<operation>[-+]?=) (?P<right>[^;]*);")
CONDITION = re.compile(r"^if \((?P<condition>.*)\) $")
BARRIERS = {"block_barrier": "__syncthreads();", "warp_barrier": "__syncwarp();", "fence": "__threadfence();"}
VALUE = "the report asks for a value before the first read; only its author knows which one"
INDEX = "the test belongs in one of several expressions; only its author knows what is to happen if it fails"
CHOICE = "the report names what is wrong; only its author knows which data the program is to use instead"
END = "the report asks for two kernels, or for another array: its place alone does not say which data move"
NOT_EDITED = {
    "kept_by_votes_with_its_own": "the mask is in another line, which the text alone names",
    "padding_without_values": "only its author knows which values the other items are to have",
    "weights_never_copied": "the data of the weights are not in the program",
    "first_item_of_the_next_row": "the text alone says which comparison changes",
    "block_of_two_constants": "only its author knows which of the two sizes is to be smaller",
    "lock_without_a_first_value": "the size of the fill is the author's choice of members",
    "drawn_in_two_places": "two loads and two stores become two atomicAdd: four lines of the program",
    "next_part_of_workspace": "the text alone names the item and its test; what the others load is the author's choice",
    "rows_as_long_as_a_block": "the factor is in the line that computes the index, which the text alone names",
    "tile_of_too_few_columns": "the size is in the array's declaration, which the text alone names",
    "words_without_their_ends": "the size is computed in another line, whose text alone names it",
    "host_loop_one_too_far": "the text alone says which comparison changes",
    "host_reads_past_a_vector": INDEX,
    "one_byte_per_pixel": CHOICE,
    "pairs_for_too_many_threads": CHOICE,
    "room_for_one_of_several_slices": CHOICE,
    "upper_half_one_too_far": "the text alone names the index that loses + 1",
    "tile_with_exchanged_sizes": "the sizes are in the array's declaration, which the text alone names",
    "largest_of_each_row_by_columns": CHOICE,
    "registered_vector_ends_too_early": "the wait belongs in another function, with a call that gives the memory back",
    "floats_through_a_double_pointer": CHOICE,
    "device_array_by_pointer": CHOICE,
    "mirrored_without_minus_one": "the text alone names the expression that gets - 1",
    "all_of_a_shorter_list": "the host reads a number, which another copy brings: several lines change",
    "bytes_passed_as_items": CHOICE,
    "four_items_of_a_thread": "what is rounded up is computed with a constant, whose name the advice does not know",
    "largest_int_in_each_byte": VALUE,
    "no_sum_for_the_last_block": "the host's arrays get larger too: several lines change",
    "search_begins_nowhere": VALUE,
    "stencil_leaves_out_an_item": "the text alone says which comparison changes",
    "sum_of_24_lanes": "the launch, the step and the loads change together",
    "sums_of_one_thread": "the text alone says which comparison changes",
    "tail_of_a_block_not_stored": VALUE,
    "threads_without_an_item": "the kernel gets another parameter, and the launch passes it",
    "tile_without_its_neighbours": VALUE,
    "barrier_counted_in_an_earlier_launch": "the host sets the counter before each launch",
    "barrier_in_an_uneven_loop": "all threads get as many rounds: the loop and its body change",
    "sizes_of_whole_groups": "the size and what the host reads change together",
    "counter_tested_too_early": INDEX,
    "limit_beside_atomic": "the test moves after the operation, with another condition",
    "limit_tested_before_the_ticket": INDEX,
    "multiples_of_each_thread": "a change of bits becomes an atomicOr, and the text alone names it",
    "one_generator_for_all": CHOICE,
    "seats_sold_after_a_test": "the branch moves after the operation, with another condition",
    "thread_number_by_columns": "the factor is in another line, whose text alone names it",
    "threads_beyond_a_half": INDEX,
    "frontier_in_place": END,
    "last_block_keeps_the_sum": CHOICE,
    "places_counted_in_each_block": CHOICE,
    "frame_of_a_tile_not_stored": VALUE,
    "count_and_write_differ": CHOICE,
    "levels_in_one_launch": END,
    "heat_in_one_array": END,
    "scan_in_a_bare_loop": "the branch ends before the barrier, and a loop gets braces",
    "cooled_within_a_branch": "the branch ends before the barrier, and another one stores",
    "three_diagonals_in_two_halves": CHOICE,
    "first_value_by_one_thread": "the value is stored by a call of its own, before the launch",
    "leaves_by_what_others_write": "the load goes into a variable, which is tested after the barrier",
    "places_from_a_used_counter": "the counter is set by a call of its own, whose arguments the advice does not know",
    "rounds_of_a_small_grid": "two numbers of blocks are rounded up, in the declaration of the grid",
    "two_names_of_one_array": CHOICE,
    "number_read_before_it_is_taken": "what the operation returns takes the place of a load: two lines change",
    "tiles_in_a_guard": "the branch moves into the loop and after it",
    "sum_of_a_warps_tail": "the call leaves its branch, with another argument",
    "freed_in_a_loop_of_launches": "the free moves after its loop",
    "room_for_another_instance": "the call of another line names the wrong instance of a template",
    "moved_without_its_pointer": "a move constructor gets a second line",
    "last_layer_by_the_whole_index": INDEX,
    "none_as_an_index": INDEX,
    "pointer_moved_too_far": "the allocation is too small; only its author knows how many bytes it needs",
    "rows_beyond_a_local_array": "the size is in the array's declaration, which the text alone names",
    "layers_over_one_image": END,
    "list_beyond_its_part": INDEX,
    "ring_with_a_negative_end": INDEX,
    "total_of_one_more_thread": CHOICE,
    "tile_of_a_cross": VALUE,
    "workspace_of_one_block": CHOICE,
    "generators_of_one_block": CHOICE,
    "edges_counted_from_one": INDEX,
    "parts_of_one_allocation": CHOICE,
    "barrier_for_the_grid": END,
    "buffer_released_too_early": "the release belongs after the last load: two lines change places",
    "half_of_an_atomic_word": "a loop of atomicCAS is several lines; only its author knows which half it keeps",
    "producer_does_not_wait": "how many threads arrive at a barrier is said in words",
    "queue_read_before_stored": END,
    "parts_of_streams_overlap": CHOICE,
    "ticket_that_never_counts": CHOICE,
    "unequal_bytes_of_a_word": "even in order, one of the two values is lost: only its author knows which one",
    "halo_in_the_wrong_place": CHOICE,
    "kept_by_inclusive_sums": INDEX,
    "hits_of_several_frames": "the counter is set by a call of its own, before each launch",
    "next_row_into_this_half": "the half that is not read has another name in every program",
    "half_that_is_read": "the half that is not read has another name in every program",
    "maximum_by_exchange": CHOICE,
    "place_read_before_it_is_set": VALUE,
    "room_for_one_block": CHOICE,
    "tile_past_the_last_row": INDEX,
    "slices_by_depth": "the factor that is wrong is in a function, whose name the advice does not know",
    "pitches_in_the_wrong_order": "the arguments that change places are named by the call",
    "sort_across_blocks": END,
    "copy_waited_for_after_the_barrier": "the wait belongs before the barrier: two lines change places",
    "copy_waited_for_before_its_commit": "the commit and the wait change places, which are two lines of the program",
    "device_array_overrun": "the overrun overwrites what follows the array, which the lab itself needs here",
    "index_overflow": "in 64 bits the index is what was meant, and beyond an array that the program made too small",
    "kernel_heap_uninitialised": VALUE,
    "kernel_heap_for_one_thread": "the size of the heap is set before the launch; only its author knows which one",
    "test_and_set_in_two_steps": "a test and a store become one atomicCAS: two lines of the program",
    "char_as_an_index": INDEX,
    "countdown_of_an_unsigned": "the type of the loop's variable changes, or its condition",
    "factor_of_another_extent": CHOICE,
    "last_column_of_an_image": INDEX,
    "run_without_partner": INDEX,
    "search_without_an_end": CHOICE,
    "limit_of_atomic_inc": "the limit is an argument of the operation",
    "offset_in_bytes": CHOICE,
    "parts_of_a_small_array": "the allocation is too small; only its author knows how many bytes it needs",
    "row_of_another_length": CHOICE,
    "rows_tested_with_the_width": INDEX,
    "remainder_below_zero": INDEX,
    "parent_of_the_root": INDEX,
    "index_from_an_unset_counter": VALUE,
    "fill_of_rows_without_their_pitch": "the pitch is one of several arguments, and has another name in every program",
    "place_by_an_undefined_shuffle": "whose value the shuffle takes is the reader's to say",
    "stack_of_a_tree_walk": "the array becomes larger; only its author knows how many items may wait",
    "triples_as_vectors_of_four": CHOICE,
    "tile_of_too_few_rows": VALUE,
    "tile_without_corners": VALUE,
    "unset_structure": VALUE,
    "wait_by_a_plain_load": "two lines change, or the declaration of a parameter",
    "arrive_without_wait": "the wait belongs before another line, which is in the text alone",
    "rows_without_their_pitch": "the index becomes an address in bytes, and then one of the item's type",
    "guard_with_or": INDEX,
    "parts_of_dynamic_shared_overlap": CHOICE,
    "pointers_not_exchanged": CHOICE,
    "random_state_of_a_block": CHOICE,
    "copy_with_arguments_swapped": "the arguments that change places are named by the call",
    "fill_with_value_and_size_swapped": "the arguments that change places are named by the call",
    "last_vector_incomplete": "the last items need a loop of their own, one by one",
    "memcpy_past_the_end": "it is a range that extends past the end, not an index",
    "row_ends_one_short": "the allocation is too small; only its author knows how many bytes it needs",
    "size_in_items": "the allocation is too small; only its author knows how many bytes it needs",
    "smooth_in_place": END,
    "size_that_overflows": "the size is computed before it is given: its type changes where the program makes it",
    "struct_result_race": CHOICE,
    "exchange_by_both_partners": "a condition of the program changes, or there is a new one",
    "allocation_in_a_function": "the allocation is too small; only its author knows how many bytes it needs",
    "tail_uninitialised": VALUE,
    "largest_without_atomic": "a test and a store become one atomicMax: the report does not say which condition goes",
    "least_cost_of_a_node": "a test and a store become one atomicMin: the report does not say which condition goes",
    "winner_apart_from_its_score": "two variables become one of 64 bits",
    "step_of_one_block": "the step of the loop is one expression of several",
    "place_of_one_lane": "whose value the shuffle takes is the reader's to say",
    "half_a_warp_without_syncwarp": "the condition of the branch changes as well",
    "bytes_counted_as_chars": INDEX,
    "remainder_in_a_function": INDEX,
    "insertion_into_a_full_list": "the loop begins with the smaller of two values",
    "list_head_pushed_plainly": "a load and a store become one atomicExch: two lines of the program",
    "roots_joined_plainly": "a test and a store become one atomicCAS, in a loop that begins again",
    "any_match_is_kept": CHOICE,
    "index_apart_from_its_maximum": "two variables become one of 64 bits",
    "read_without_the_lock": "the load goes into another line, where the lock is held",
    "total_read_too_early": END,
    "total_in_two_lines": "a load, a sum and a store become one atomicAdd: three lines of the program",
    "transpose_in_place": END,
    "two_dynamic_arrays": CHOICE,
    "two_arrays_on_each_line": CHOICE,
    "mask_rows_too_near": CHOICE,
    "median_of_one_item_too_many": "a number in a call changes, which the text says",
    "neighbours_read_by_a_function": INDEX,
    "tickets_set_back_by_the_last_index": "the store goes into another branch, or to the host",
    "two_outputs_one_place": CHOICE,
    "vector_stored_for_one_byte": "four bytes become one: the pointer's type changes with the store",
    "wild_pointer_in_struct": CHOICE,
    "blanks_counted_as_letters": INDEX,
    "copy_with_the_size_of_doubles": "two calls get the size of another type",
    "halo_before_the_array": "the text says which expression takes the load's place",
    "last_part_of_a_host_array": "the number of items in the copy and in the launch is a variable of its own",
    "last_part_of_an_allocation": "the size of the copy is computed anew, which the text alone says",
    "malloc_into_a_device_table": CHOICE,
    "memset_of_a_host_array": CHOICE,
    "rows_of_the_wrong_length": CHOICE,
}


class Program:
    def __init__(self, build, folder):
        """Each program begins with the emulator's header: the compiler reads it once for all of them."""
        self.kind = json.loads((build / "programs.json").read_text(encoding="utf-8"))["kinds"]["faults"]
        self.header = folder / "header.hpp"
        self.header.write_text("#include <cuda_runtime.h>\n", encoding="utf-8")
        words = ["-x", "c++-header", self.header, "-o", f"{self.header}.gch"]
        subprocess.run([self.kind["compiler"], *self.kind["options"], *words], check=True)

    def findings(self, source, folder):
        """What the lab finds, in two orders of threads; None: it does not compile. Last: whether it ended well."""
        file, program, report = folder / "program.cu", folder / "program", folder / "report.json"
        file.write_text(source, encoding="utf-8")
        rewritten = folder / "program.cpp"
        words = [file, rewritten, "--source-root", folder, "--copies", folder / "copies"]
        try:
            translate.main([str(word) for word in words])
        except SystemExit:
            return None, False
        compiler, options = self.kind["compiler"], ["-include", self.header, *self.kind["options"]]
        commands = (
            [compiler, *options, "-c", rewritten, "-o", folder / "program.o"],
            [compiler, folder / "program.o", *self.kind["libraries"], "-o", program],
        )
        for command in commands:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != 0:
                return None, False
        for order in ("forward", "reverse"):
            environment = dict(os.environ, TUTORIAL_CPU_ORDER=order, TUTORIAL_FAULTS=str(report))
            environment.setdefault("TUTORIAL_CPU_TIME_LIMIT", "5")
            report.unlink(missing_ok=True)
            done = subprocess.run(
                [program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False
            )
            if not report.exists():
                return None, False
            found = [each for each in json.loads(report.read_text(encoding="utf-8")) if not each["is_note"]]
            if found:
                break
        return found, done.returncode == 0


def of_type(expression):
    """A pointer to what the expression names, without volatile."""
    return f"const_cast<std::remove_cv_t<std::remove_reference_t<decltype({expression})>>*>(&({expression}))"


def split(line, barrier):
    """Reads the value into a variable, then has the barrier, then writes."""
    found = ASSIGNMENT.search(line)
    if found is None:
        return
    condition = CONDITION.match(line[: found.start("left")].lstrip())
    test = f"if ({condition['condition']}) " if condition else ""
    left, operation, right = found["left"], found["operation"], found["right"]
    value = f"{left} {operation[0]} ({right})" if len(operation) == 2 else right
    yield (
        f"{{ std::remove_cv_t<std::remove_reference_t<decltype({left})>> cure_value{{}}; {test}cure_value = {value}; "
        f"{barrier} {test}{left} = cure_value; {barrier} }}" + line[found.end() :]
    )


def update(line):
    """Changes the value by one atomic operation."""
    for found in ASSIGNMENT.finditer(line):
        left, operation, right = found["left"], found["operation"], found["right"]
        if operation == "=" and right.startswith(f"{left} + "):
            operation, right = "+=", right[len(left) + 3 :]
        if operation in ("+=", "-="):
            sign = "-" if operation == "-=" else ""
            new = f"{found['before']}atomicAdd({of_type(left)}, {sign}({right}));"
            yield line[: found.start()] + new + line[found.end() :]
    for found in re.finditer(r"\+\+(\*?[\w.\[\]]+)|(\*?[\w.\[\]]+)\+\+", line):
        yield line[: found.start()] + f"atomicAdd({of_type(found[1] or found[2])}, 1)" + line[found.end() :]


def access(line):
    """An atomic or volatile access in place of a plain one."""
    for found in ASSIGNMENT.finditer(line):
        yield line[: found.start("left")] + f"atomicExch({of_type(found['left'])}, {found['right']});" + line[
            found.end() :
        ]
    for found in re.finditer(r"(?<![\w)\]] )\*(\w+)|\b(\w+\[[^\]]*\])|\b([a-z]\w+)\b(?!\()", line):
        what = found[0]
        yield line[: found.start()] + f"(*(volatile decltype({what} + 0)*)&({what}))" + line[found.end() :]


def guard(line, finding):
    """Runs the line only if the index is within the array."""
    is_lower = finding["cure"]["code"] == "test_lower"
    for found in re.finditer(r"(\w+)(?=\[)", line):
        at, depth = found.end(), 0
        indexes = []
        begin = at
        while at < len(line) and (line[at] == "[" or depth > 0):
            depth += (line[at] == "[") - (line[at] == "]")
            at += 1
            if depth == 0:
                indexes.append(line[begin + 1 : at - 1])
                begin = at
        for index in indexes:
            index = re.sub(r"\+\+|--", "", index)
            test = f"(int)({index}) >= 0" if is_lower else f"(long){index} < {finding['items']}"
            for_loop = re.match(r"(\s*for \([^;]*;)([^;]*)(;.*)", line)
            if for_loop:
                yield f"{for_loop[1]} {test} &&{for_loop[2]}{for_loop[3]}"
            # First at an earlier test, before the index is used.
            if line.lstrip().startswith("if ("):
                yield line.replace("if (", f"if ({test} && ", 1)
            yield f"if ({test}) {line.lstrip()}"


def initialise(lines, finding):
    place = finding["cure"]["place"]
    if place is None:
        return
    names = set(re.findall(r"\w+", finding["parties"][0]["at"]["source"]))
    made = re.search(r"cuda\w+\((?:\(void\*\*\))?&(\w+), ([^;]*?)\);", place["source"])
    if made:
        yield lines[: place["line"]] + [f"cudaMemset({made[1]}, 0, {made[2]});"] + lines[place["line"] :]
        return
    for number in range(place["line"] - 1, -1, -1):
        found = re.match(r"(\s*(?:int|float|unsigned|double) (\w+)(?:\[\w+\])?);", lines[number])
        if found and found[2] in names:
            yield lines[:number] + [found[1] + "{};"] + lines[number + 1 :]


def wait_before(lines):
    """A wait for asynchronous copies before a barrier: the one that follows it, or a new one."""
    for at, line in enumerate(lines):
        if line.strip().startswith("__syncthreads();"):
            if "wait" in lines[at + 1]:
                yield [*lines[:at], lines[at + 1], line, *lines[at + 2 :]]
            yield [*lines[:at], "__pipeline_wait_prior(0);", *lines[at:]]


def edits(source, finding):
    """Each way to apply the fix, as a new source."""
    cure = finding["cure"]
    code, place, spot = cure["code"], cure["place"], cure["spot"]
    lines = source.split("\n")
    if code == "initialise":
        yield from map("\n".join, initialise(lines, finding))
        return
    if code == "device_fence":
        yield source.replace("__threadfence_block()", "__threadfence()")
        return
    if cure["text"].startswith("wait before the barrier"):
        yield from map("\n".join, wait_before(lines))
        return
    if place is None:
        return
    at = place["line"] - 1
    line = lines[at]

    def replaced(new):
        return "\n".join([*lines[:at], new, *lines[at + 1 :]])

    if code == "device_scope":
        narrow = re.compile("thread_scope_(block|thread)")
        yield narrow.sub("thread_scope_device", re.sub(r"(atomic\w+)_block\b", r"\1", source))
    if "memory_order_release in the one and" in cure["text"]:
        ordered = re.sub(r"(\.store\([^;]*)memory_order_relaxed", r"\1memory_order_release", source)
        yield re.sub(r"(\.load\([^;]*)memory_order_relaxed", r"\1memory_order_acquire", ordered)
    if code == "group_barrier":
        sync = re.search(r"\w+\.sync\(\)", finding["cure"]["text"])
        yield "\n".join([*lines[: at + 1], sync[0] + ";" if sync else "", *lines[at + 1 :]])
    barrier = BARRIERS.get(code, "")
    if "__threadfence_system()" in cure["text"]:
        barrier = "__threadfence_system();"
    if barrier and spot in ("before", "after"):
        where = at + (spot == "after")
        yield "\n".join([*lines[:where], barrier, *lines[where:]])
        # The other places that the text names: before the later of the two lines, and within a line.
        accesses = sorted({party["at"]["line"] for party in finding["parties"]})
        for other in [accesses[-1] - 1, accesses[-1]]:
            yield "\n".join([*lines[:other], barrier, *lines[other:]])
        if len(accesses) == 1:
            at = accesses[0] - 1
            yield from map(replaced, split(lines[at], barrier))
    if barrier and spot == "within":
        yield from map(replaced, split(line, barrier))
    if code == "atomic_update":
        yield from map(replaced, update(line))
    if code == "atomic_access":
        yield from map(replaced, access(line))
    if code in ("test_index", "test_lower"):
        yield from map(replaced, guard(line, finding))
    if code == "plain_load":
        yield replaced(re.sub(r"__ldg\(&(.*?\])\)", r"\1", line))
    if code == "synchronise":
        yield "\n".join([*lines[: at + 1], "cudaDeviceSynchronize();", *lines[at + 1 :]])
    if code == "allocate_bytes":
        # The number of items times the size of one, in place of an expression that means something else.
        for measure in (r"sizeof\([^)]*\)", r"sizeof \w+"):
            if re.search(measure, line):
                yield replaced(re.sub(measure, str(finding["items"]), line, count=1))
        yield replaced(re.sub(r", ([^,]*)\);$", rf", (\1) * {finding['items']});", line))
    if code == "launch_bytes":
        yield replaced(re.sub(r"<<<([^,]*), ([^,]*)(, [^>]*)?>>>", rf"<<<\1, \2, {finding['items']}>>>", line))
    if code == "larger_array":
        yield replaced(re.sub(r"\[[^\]]*\];", f"[{finding['items']}];", line))
    if code == "block_index":
        name = re.search(r" of (\w+), shared", finding["evidence"])
        if name:
            use, new = rf"\b{name[1]}\[\w+", f"{name[1]}[threadIdx.x"
            yield "\n".join(each if "__shared__" in each else re.sub(use, new, each) for each in lines)
    if code == "swapped_index":
        pair = r"\[(\w+)\]\[(\w+)\]"
        yield "\n".join(each if "__shared__" in each else re.sub(pair, r"[\2][\1]", each) for each in lines)
        yield replaced(re.sub(r"\[(\w+) \* (\w+) \+ (\w+)\]", r"[\3 * \2 + \1]", line, count=1))
    if code == "byte_pitch":
        yield replaced(re.sub(r"\bpitch\b", f"(pitch / {finding['items']})", line))
    if code == "copy_offset":
        yield replaced(re.sub(r", ([^,]*)\);$", rf", \1 * {finding['items']});", line))
    if code == "copy_bytes":
        # Any argument may be the size: each is tried.
        arguments = line[line.index("(") + 1 : line.rindex(")")].split(", ")
        for number in range(len(arguments)):
            changed = [*arguments[:number], str(finding["items"]), *arguments[number + 1 :]]
            yield replaced(line[: line.index("(") + 1] + ", ".join(changed) + ");")


def signature(finding):
    return (
        finding["kind"],
        finding["cure"]["code"],
        finding["cure"]["spot"],
        tuple(sorted(party["at"]["source"] for party in finding["parties"] if party["at"])),
    )


def check(program, path, folder):
    """An empty text, or what went wrong."""
    source = "#include <type_traits>\n" + path.read_text(encoding="utf-8")
    found, ended_well = program.findings(source, folder)
    if found is None:
        return "it does not compile"
    if not found:
        return "" if ended_well else "nothing is found, and it fails"
    for _ in range(MAX_ROUNDS):
        first = found[0]
        # An edited line has another signature, so there must be fewer reports.
        is_same_line = first["cure"]["spot"] == "at"
        for edited in edits(source, first):
            now, ended_well = program.findings(edited, folder)
            if now is None or signature(first) in map(signature, now):
                continue
            if not is_same_line or len(now) < len(found):
                break
        else:
            return f"no edit of {first['cure']} removes\n{first['text']}"
        source, found = edited, now
        if not found:
            return "" if ended_well else f"nothing is found, and it fails:\n{source}"
    return f"after {MAX_ROUNDS} fixes there is still\n{found[0]['text']}"


def main():
    build, paths = Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]]
    for path in paths:
        if path.stem in NOT_EDITED:
            print(f"{path.stem}: not edited: {NOT_EDITED[path.stem]}")
    edited = [path for path in paths if path.stem not in NOT_EDITED]
    changed = {Path(each).name for each in changed_files()}
    today = todays_part(edited, 8)
    paths = [path for path in edited if path in today or path.name in changed]
    failed = 0
    with tempfile.TemporaryDirectory() as ours:
        program = Program(build, Path(ours))
        for path in paths:
            with tempfile.TemporaryDirectory() as folder:
                wrong = check(program, path, Path(folder))
            print(f"{path.stem}: {wrong or 'fixed'}", flush=True)
            failed += wrong != ""
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
