// A plugin for g++: makes -fsanitize=thread see every copy of a struct, and what the C++ library
// copies and fills.
//
// The compiler instruments assignments. A struct that is passed to a function or returned by one is
// copied by the call itself, and the compiler does not report that copy. So before its own pass,
// such a call
//     *p = add(*p, *q);
// becomes
//     first = *p;  second = *q;  result = add(first, second);  *p = result;
//
// It also reports a struct without its alignment, which decides how a GPU copies it: three doubles
// take three instructions, six floats six. After the compiler's pass, the alignment is put into the
// upper half of the size (see hooks.cpp):
//     __tsan_read_range(p, 24)   becomes   __tsan_read_range(p, 24 | 8 << 32)
// The same is done for a memcpy of 2, 4, 8 or 16 bytes, which the compiler turns into an access of
// one byte's alignment if it sees only a pointer. As nvcc copies such bytes one by one, a special
// number instead of the alignment says that it was a memcpy.
//
// std::copy, std::fill and the like call __builtin_memmove and the like, which no header replaces
// (lab/memory_calls.hpp), and which the compiler expands if it knows the size. Those calls become
// calls of lab_memmove and the like (hooks.cpp), unless they are one access.
#include <gcc-plugin.h>

#include <context.h>
#include <plugin-version.h>
#include <tree-pass.h>
#include <tree.h>

#include <basic-block.h>
#include <gimple-expr.h>
#include <gimple.h>

#include <gimple-iterator.h>
#include <gimplify.h>
#include <ssa.h>
#include <tree-cfg.h>
#include <tree-into-ssa.h>
#include <tree-ssa-operands.h>
#include <cstdint>
#include <cstring>

int plugin_is_GPL_compatible;

namespace {

constexpr std::uint64_t kAlignmentOfBytes = 0xffff;  // as in src/access_sites.hpp

/// Whether the operand is a struct in memory that others may see, and that may be copied bit by
/// bit.
bool is_visible_struct(tree operand) {
    if (operand == nullptr || TREE_CODE(operand) == WITH_SIZE_EXPR) return false;
    const tree type = TREE_TYPE(operand);
    if (!AGGREGATE_TYPE_P(type) || TREE_ADDRESSABLE(type) || !COMPLETE_TYPE_P(type)) return false;
    if (TREE_CODE(TYPE_SIZE_UNIT(type)) != INTEGER_CST || integer_zerop(TYPE_SIZE_UNIT(type))) {
        return false;
    }
    const tree base = get_base_address(operand);
    if (base == nullptr) return false;
    return !DECL_P(base) || is_global_var(base) || TREE_ADDRESSABLE(base);
}

bool split_call(gimple_stmt_iterator* at) {
    gcall* const call = as_a<gcall*>(gsi_stmt(*at));
    if (gimple_call_internal_p(call)) return false;
    bool changed = false;
    for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
        const tree argument = gimple_call_arg(call, i);
        if (!is_visible_struct(argument)) continue;
        const tree copy = create_tmp_var(TREE_TYPE(argument), "argument");
        gassign* const load = gimple_build_assign(copy, unshare_expr(argument));
        gimple_set_location(load, gimple_location(call));
        gsi_insert_before(at, load, GSI_SAME_STMT);
        gimple_call_set_arg(call, i, copy);
        changed = true;
    }
    const tree target = gimple_call_lhs(call);
    if (is_visible_struct(target)) {
        const tree copy = create_tmp_var(TREE_TYPE(target), "result");
        gassign* const store = gimple_build_assign(unshare_expr(target), copy);
        gimple_set_location(store, gimple_location(call));
        gimple_call_set_lhs(call, copy);
        update_stmt(call);
        if (!stmt_ends_bb_p(call)) {
            gsi_insert_after(at, store, GSI_NEW_STMT);
        } else if (const edge returns = find_fallthru_edge(gsi_bb(*at)->succs)) {
            // A call that may throw ends its block: the result is stored only if it returns.
            gsi_insert_on_edge_immediate(returns, store);
        }
        changed = true;
    }
    if (changed) update_stmt(call);
    return changed;
}

/// The function in hooks.cpp for the compiler's own; nullptr: it is not a memory function.
const char* watched_name(const gcall* call) {
    if (gimple_call_builtin_p(call, BUILT_IN_MEMCPY)) return "lab_memcpy";
    if (gimple_call_builtin_p(call, BUILT_IN_MEMMOVE)) return "lab_memmove";
    if (gimple_call_builtin_p(call, BUILT_IN_MEMSET)) return "lab_memset";
    return nullptr;
}

void watch_call(gcall* call) {
    const char* const name = watched_name(call);
    if (name == nullptr) return;
    const tree size = gimple_call_arg(call, 2);
    if (!gimple_call_builtin_p(call, BUILT_IN_MEMSET) && tree_fits_uhwi_p(size)) {
        const std::uint64_t bytes = tree_to_uhwi(size);
        if (bytes <= 16 && (bytes & (bytes - 1)) == 0) return;  // a load and a store
    }
    gimple_call_set_fndecl(call, build_fn_decl(name, TREE_TYPE(gimple_call_fndecl(call))));
    update_stmt(call);
}

class SplitCalls : public gimple_opt_pass {
  public:
    explicit SplitCalls(gcc::context* context) : gimple_opt_pass(kData, context) {}
    opt_pass* clone() override { return new SplitCalls(m_ctxt); }
    bool gate(function*) override { return (flag_sanitize & SANITIZE_THREAD) != 0; }
    unsigned execute(function* f) override {
        bool changed = false;
        basic_block block;
        FOR_EACH_BB_FN(block, f) {
            for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                gcall* const call = dyn_cast<gcall*>(gsi_stmt(at));
                if (call == nullptr) continue;
                watch_call(call);
                changed = split_call(&at) || changed;
            }
        }
        if (!changed) return 0;
        mark_virtual_operands_for_renaming(f);
        return TODO_update_ssa_only_virtuals;
    }

  private:
    static constexpr pass_data kData = {
        GIMPLE_PASS, "split_struct_calls", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
};

/// __tsan_read_range or __tsan_read16 (1), the same for a write (2), anything else (0). The
/// compiler takes 16 bytes for one access even if they are two doubles, which a GPU loads one by
/// one.
int range_call(gimple* statement) {
    if (!is_gimple_call(statement)) return 0;
    const tree function = gimple_call_fndecl(statement);
    if (function == nullptr || DECL_NAME(function) == nullptr) return 0;
    const char* const name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
    const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("__tsan_read_range") || is("__tsan_read16")) return 1;
    return is("__tsan_write_range") || is("__tsan_write16") ? 2 : 0;
}

class NameAlignments : public gimple_opt_pass {
  public:
    explicit NameAlignments(gcc::context* context) : gimple_opt_pass(kData, context) {}
    opt_pass* clone() override { return new NameAlignments(m_ctxt); }
    bool gate(function*) override { return (flag_sanitize & SANITIZE_THREAD) != 0; }
    unsigned execute(function* f) override {
        basic_block block;
        FOR_EACH_BB_FN(block, f) {
            for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                if (range_call(gsi_stmt(at)) != 0) name(at);
            }
        }
        return 0;
    }

  private:
    static void name(gimple_stmt_iterator at) {
        gcall* const call = as_a<gcall*>(gsi_stmt(at));
        const bool is_write = range_call(call) == 2;
        // The access itself is the next statement that is not a report.
        for (gsi_next(&at); !gsi_end_p(at); gsi_next(&at)) {
            gimple* const access = gsi_stmt(at);
            if (is_gimple_debug(access) || range_call(access) != 0) continue;
            if (!is_gimple_assign(access)) {
                if (is_gimple_call(access)) continue;
                return;
            }
            const tree operand = is_write ? gimple_assign_lhs(access) : gimple_assign_rhs1(access);
            if (!gimple_assign_single_p(access)) continue;
            const bool has_size = gimple_call_num_args(call) == 2;
            std::uint64_t alignment = TYPE_ALIGN_UNIT(TREE_TYPE(operand));
            if (!AGGREGATE_TYPE_P(TREE_TYPE(operand))) {
                if (!has_size || TREE_CODE(operand) != MEM_REF || alignment != 1) continue;
                alignment = kAlignmentOfBytes;
            }
            if (!has_size && alignment >= 16) return;
            const std::uint64_t bytes = has_size ? tree_to_uhwi(gimple_call_arg(call, 1)) : 16;
            const tree size = build_int_cst(size_type_node, bytes | alignment << 32);
            if (has_size) {
                gimple_call_set_arg(call, 1, size);
                return;
            }
            const tree function = builtin_decl_implicit(is_write ? BUILT_IN_TSAN_WRITE_RANGE
                                                                 : BUILT_IN_TSAN_READ_RANGE);
            gcall* const made = gimple_build_call(function, 2, gimple_call_arg(call, 0), size);
            gimple_set_location(made, gimple_location(call));
            gimple_move_vops(made, call);
            gimple_stmt_iterator place = gsi_for_stmt(call);
            gsi_replace(&place, made, false);
            return;
        }
    }

    static constexpr pass_data kData = {
        GIMPLE_PASS, "name_struct_alignments", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};
};

}  // namespace

int plugin_init(plugin_name_args* info, plugin_gcc_version* version) {
    if (!plugin_default_version_check(version, &gcc_version)) return 1;
    register_pass_info before{new SplitCalls(g), "tsan", 0, PASS_POS_INSERT_BEFORE};
    register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &before);
    register_pass_info behind{new NameAlignments(g), "tsan", 0, PASS_POS_INSERT_AFTER};
    register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &behind);
    return 0;
}
