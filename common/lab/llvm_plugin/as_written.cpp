// A plugin for clang: -fsanitize=thread and -fsanitize-coverage see the program as it was written.
//
// After clang's optimiser they see a different one: it splits a float4 into four loads, merges the
// two sides of a branch and moves accesses after them. Before it, at -O0, every local variable is
// memory, and a value that is used twice is loaded twice. This pass runs at -O0, before both, and
// does what g++ -Og would have done by then:
//
//   - local variables become values, and a load whose value is already known is left out;
//   - a block that follows only the one before it is joined with that one; in a loop's condition "a
//   && b" is tested once, and the minimum or maximum of two values takes no branch;
//   - a function that stores nothing invalidates nothing known about memory; a small function is
//     inlined.
//
// Structs are copied by memcpy. The sanitizer's report would not say their alignment, which decides
// how a GPU copies them. Such a copy becomes a call of hooks.cpp that also does the copy:
//     memcpy(p, q, 24)   of two structs of doubles becomes   lab_copy_struct(p, q, 24 | 8 << 32)
// The program's own calls of memcpy, memmove and memset become those of lab_memcpy and the like,
// except for 1, 2, 4, 8 or 16 bytes: these are one load and one store, as nvcc makes them.
//
// It is compiled for one release of LLVM, with that release's headers (14 to 16 have been tried).
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace llvm;

constexpr std::uint64_t kMaxBytes = 0xffffffffu;     ///< of a struct; the alignment is above
constexpr std::uint64_t kAlignmentOfBytes = 0xffff;  ///< as in src/access_sites.hpp

bool is_one_access(std::uint64_t bytes) {
    return bytes != 0 && bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

/// A function of hooks.cpp that keeps none of its pointers: locals whose addresses go nowhere else
/// stay unseen.
FunctionCallee hook(Module& module, StringRef name, Type* result, ArrayRef<Type*> parameters) {
    FunctionCallee made =
        module.getOrInsertFunction(name, FunctionType::get(result, parameters, false));
    if (auto* const function = dyn_cast<Function>(made.getCallee())) {
        function->addFnAttr(Attribute::NoUnwind);
        for (unsigned i = 0; i < parameters.size(); ++i) {
            if (parameters[i]->isPointerTy()) function->addParamAttr(i, Attribute::NoCapture);
        }
    }
    return made;
}

class Copies {
  public:
    explicit Copies(Module& module)
        : module_(module),
          bytes_(PointerType::get(Type::getInt8Ty(module.getContext()), 0)),
          size_(Type::getInt64Ty(module.getContext())) {}

    /// Calls the hook instead of this instruction, if it copies or fills memory.
    void replace(CallInst* call) {
        if (auto* const transfer = dyn_cast<MemTransferInst>(call)) {
            const auto* const size = dyn_cast<ConstantInt>(transfer->getLength());
            const Align alignment = std::min(transfer->getDestAlign().valueOrOne(),
                                             transfer->getSourceAlign().valueOrOne());
            if (size == nullptr || size->getZExtValue() > kMaxBytes) {
                call_hook(
                    call, "lab_memmove", {bytes_, bytes_, size_},
                    {transfer->getRawDest(), transfer->getRawSource(), transfer->getLength()});
            } else {
                copy_struct(call, transfer->getRawDest(), transfer->getRawSource(),
                            size->getZExtValue(), alignment.value());
            }
        } else if (auto* const fill = dyn_cast<MemSetInst>(call)) {
            const auto* const size = dyn_cast<ConstantInt>(fill->getLength());
            const std::uint64_t bytes =
                size != nullptr && size->getZExtValue() <= kMaxBytes ? size->getZExtValue() : 0;
            if (bytes == 0) return;
            const std::uint64_t alignment = fill->getDestAlign().valueOrOne().value();
            call_hook(call, "lab_set_struct",
                      {bytes_, Type::getInt32Ty(module_.getContext()), size_},
                      {fill->getRawDest(), fill->getValue(), packed(bytes, alignment)});
        } else if (is_own_call(*call)) {
            replace_own(call);
        }
    }

    /// Whether this is the program's memcpy, memmove or memset: -fno-builtin has left it a call.
    static bool is_own_call(const CallBase& call) {
        const Function* const called = call.getCalledFunction();
        if (called == nullptr || call.arg_size() != 3) return false;
        const StringRef name = called->getName();
        return name == "memcpy" || name == "memmove" || name == "memset";
    }

  private:
    Constant* packed(std::uint64_t bytes, std::uint64_t alignment) {
        return ConstantInt::get(size_, bytes | alignment << 32);
    }

    void copy_struct(CallInst* call, Value* to, Value* from, std::uint64_t bytes,
                     std::uint64_t alignment) {
        call_hook(call, "lab_copy_struct", {bytes_, bytes_, size_},
                  {to, from, packed(bytes, alignment)});
    }

    void replace_own(CallInst* call) {
        const StringRef name = call->getCalledFunction()->getName();
        const bool fills = name == "memset";
        const auto* const size = dyn_cast<ConstantInt>(call->getArgOperand(2));
        if (!fills && size != nullptr && is_one_access(size->getZExtValue())) {
            Value* const result = call->getArgOperand(0);
            call->replaceAllUsesWith(result);
            copy_struct(call, result, call->getArgOperand(1), size->getZExtValue(),
                        kAlignmentOfBytes);
            return;
        }
        call->setCalledFunction(
            module_.getOrInsertFunction(("lab_" + name).str(), call->getFunctionType()));
    }

    void call_hook(CallInst* call, StringRef name, ArrayRef<Type*> types, ArrayRef<Value*> values) {
        IRBuilder<> builder(call);
        std::vector<Value*> arguments;
        for (std::size_t i = 0; i < values.size(); ++i) {
            arguments.push_back(types[i]->isPointerTy()
                                    ? builder.CreatePointerCast(values[i], types[i])
                                    : builder.CreateZExtOrTrunc(values[i], types[i]));
        }
        builder.CreateCall(hook(module_, name, bytes_, types), arguments);
        call->eraseFromParent();
    }

    Module& module_;
    Type* const bytes_;
    Type* const size_;
};

/// Local variables that -ftrivial-auto-var-init=pattern gave a value get g++'s, which the lab looks
/// for: bytes of 0xfe. clang has one for integers and another, NaN, for floats.
class Unset {
  public:
    explicit Unset(Function& function) {
        std::vector<Instruction*> filling;
        for (BasicBlock& block : function) {
            for (Instruction& each : block) {
                if (fills(each)) filling.push_back(&each);
            }
        }
        for (Instruction* const each : filling) replace(each);
    }

  private:
    static constexpr std::uint8_t kByte = 0xfe;

    static bool fills(const Instruction& instruction) {
        const MDNode* const marks = instruction.getMetadata(LLVMContext::MD_annotation);
        return marks != nullptr && any_of(marks->operands(), [](const MDOperand& each) {
                   const auto* const mark = dyn_cast<MDString>(each.get());
                   return mark != nullptr && mark->getString() == "auto-init";
               });
    }

    /// A value of such bytes; null if the type has none.
    static Constant* value_of(Type* type) {
        if (type->isPointerTy()) {
            return ConstantExpr::getIntToPtr(value_of(Type::getInt64Ty(type->getContext())), type);
        }
        const unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
        if (bits == 0 || bits % 8 != 0) return nullptr;
        const APInt pattern = APInt::getSplat(bits, APInt(8, kByte));
        if (type->isIntegerTy()) return ConstantInt::get(type, pattern);
        if (type->isFloatingPointTy()) {
            return ConstantFP::get(type->getContext(), APFloat(type->getFltSemantics(), pattern));
        }
        return nullptr;
    }

    static void replace(Instruction* instruction) {
        if (auto* const store = dyn_cast<StoreInst>(instruction)) {
            Constant* const value = value_of(store->getValueOperand()->getType());
            if (value != nullptr) store->setOperand(0, value);
        } else if (auto* const fill = dyn_cast<MemSetInst>(instruction)) {
            fill->setValue(ConstantInt::get(fill->getValue()->getType(), kByte));
        } else if (auto* const copy = dyn_cast<MemCpyInst>(instruction)) {
            IRBuilder<> builder(copy);
            builder.CreateMemSet(copy->getRawDest(), builder.getInt8(kByte), copy->getLength(),
                                 copy->getDestAlign());
            copy->eraseFromParent();
        }
    }
};

/// Whether a block only jumps to another.
bool only_leads_on(BasicBlock& block) {
    const auto* const way = dyn_cast<BranchInst>(block.getTerminator());
    return way != nullptr && way->isUnconditional() && block.getFirstNonPHIOrDbg() == way;
}

/// "for (…; a && b; …)": if a is false, clang goes to a block that tests it once more. This skips
/// that block.
void skip_question(BasicBlock& block) {
    auto* const way = dyn_cast<BranchInst>(block.getTerminator());
    if (way == nullptr || !way->isConditional() || block.getFirstNonPHIOrDbg() != way) return;
    auto* const answer = dyn_cast<PHINode>(way->getCondition());
    if (answer == nullptr || answer->getParent() != &block || !answer->hasOneUse()) return;
    if (std::next(block.phis().begin()) != block.phis().end()) return;
    for (unsigned i = answer->getNumIncomingValues(); i-- > 0;) {
        const auto* const known = dyn_cast<ConstantInt>(answer->getIncomingValue(i));
        BasicBlock* const from = answer->getIncomingBlock(i);
        BasicBlock* const to =
            known != nullptr ? way->getSuccessor(known->isZero() ? 1 : 0) : &block;
        if (to == &block || is_contained(successors(from), to)) continue;
        if (count(successors(from), &block) != 1 || answer->getNumIncomingValues() == 1) continue;
        for (PHINode& value : to->phis()) {
            value.addIncoming(value.getIncomingValueForBlock(&block), from);
        }
        from->getTerminator()->replaceSuccessorWith(&block, to);
        answer->removeIncomingValue(i, false);
    }
    if (pred_size(&block) == 1) FoldSingleEntryPHINodes(&block);
}

/// "a < b ? a : b", and a choice of two constants: a value, not a branch.
void choose_values(BasicBlock& block) {
    if (block.phis().begin() == block.phis().end() || pred_size(&block) != 2) return;
    BasicBlock* const one = *pred_begin(&block);
    BasicBlock* const other = *std::next(pred_begin(&block));
    const auto before = [&](BasicBlock* side, BasicBlock* opposite) {
        return only_leads_on(*side) && side->phis().empty() ? side->getSinglePredecessor()
               : is_contained(successors(side), opposite)   ? side
                                                            : nullptr;
    };
    BasicBlock* const asking = before(one, other);
    if (asking == nullptr || asking != before(other, one)) return;
    auto* const way = dyn_cast<BranchInst>(asking->getTerminator());
    if (way == nullptr || !way->isConditional()) return;
    const auto* const question = dyn_cast<CmpInst>(way->getCondition());
    if (question == nullptr) return;
    BasicBlock* const if_true = way->getSuccessor(0) == &block ? asking : way->getSuccessor(0);
    BasicBlock* const if_false = if_true == one ? other : one;
    const auto is_simple = [&](const Value* value) {
        return isa<Constant>(value) || is_contained(question->operands(), value);
    };
    for (PHINode& value : block.phis()) {
        if (!is_simple(value.getIncomingValueForBlock(one))) return;
        if (!is_simple(value.getIncomingValueForBlock(other))) return;
    }
    while (auto* const value = dyn_cast<PHINode>(&block.front())) {
        Instruction* const chosen =
            SelectInst::Create(way->getCondition(), value->getIncomingValueForBlock(if_true),
                               value->getIncomingValueForBlock(if_false), "", way);
        chosen->setDebugLoc(way->getDebugLoc());
        value->replaceAllUsesWith(chosen);
        value->eraseFromParent();
    }
    BranchInst* const straight = BranchInst::Create(&block, way);
    straight->setDebugLoc(way->getDebugLoc());
    way->eraseFromParent();
}

/// Joins blocks that always follow each other, and leaves out those that only jump to another: a
/// branch with nothing to do, such as a return.
void join_blocks(Function& function) {
    const auto others = [&] {
        std::vector<BasicBlock*> blocks;
        for (BasicBlock& block : drop_begin(function)) blocks.push_back(&block);
        return blocks;
    };
    for (BasicBlock* const block : others()) choose_values(*block);
    removeUnreachableBlocks(function);
    for (BasicBlock* const block : others()) MergeBlockIntoPredecessor(block);
    for (BasicBlock* const block : others()) skip_question(*block);
    for (BasicBlock* const block : others()) MergeBlockIntoPredecessor(block);
    for (BasicBlock* const block : others()) {
        if (only_leads_on(*block)) TryToSimplifyUncondBranchFromEmptyBlock(block);
    }
}

/// Finds out which functions store nothing, and which do not even load; says so by their
/// attributes.
class Effects {
  public:
    explicit Effects(Module& module) {
        for (bool changed = true; changed;) {
            changed = false;
            for (Function& function : module) changed = learn(function) || changed;
        }
    }

  private:
    /// A variable of the function itself, or its copy of an argument.
    static bool is_own(const Value* pointer) {
        const Value* const object = getUnderlyingObject(pointer);
        const auto* const argument = dyn_cast<Argument>(object);
        return isa<AllocaInst>(object) || (argument != nullptr && argument->hasByValAttr());
    }

    /// What the instruction does to memory that is visible to others.
    static void add(const Instruction& each, bool& loads, bool& stores) {
        if (!each.mayReadOrWriteMemory()) return;
        if (const auto* const load = dyn_cast<LoadInst>(&each)) {
            if (!load->isSimple()) stores = true;
            if (!is_own(load->getPointerOperand())) loads = true;
        } else if (const auto* const store = dyn_cast<StoreInst>(&each)) {
            if (!store->isSimple() || !is_own(store->getPointerOperand())) stores = true;
        } else if (const auto* const copy = dyn_cast<MemTransferInst>(&each)) {
            if (copy->isVolatile() || !is_own(copy->getRawDest())) stores = true;
            if (!is_own(copy->getRawSource())) loads = true;
        } else if (const auto* const fill = dyn_cast<MemSetInst>(&each)) {
            if (fill->isVolatile() || !is_own(fill->getRawDest())) stores = true;
        } else if (const auto* const call = dyn_cast<CallBase>(&each)) {
            if (call->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(call)) return;
            if (call->doesNotAccessMemory()) return;
            if (Copies::is_own_call(*call)) {
                if (!is_own(call->getArgOperand(0))) stores = true;
                const Value* const from = call->getArgOperand(1);  // of memset, a number
                if (from->getType()->isPointerTy() && !is_own(from)) loads = true;
            } else if (call->onlyReadsMemory()) {
                loads = true;
            } else {
                stores = true;
            }
        } else {
            stores = true;
        }
    }

    bool learn(Function& function) {
        if (function.isDeclaration() || function.isInterposable()) return false;
        if (function.doesNotAccessMemory()) return false;
        bool loads = false, stores = false;
        for (const BasicBlock& block : function) {
            for (const Instruction& each : block) {
                add(each, loads, stores);
                if (stores) return false;
            }
        }
        if (!loads) {
            function.setDoesNotAccessMemory();
        } else if (!function.onlyReadsMemory()) {
            function.setOnlyReadsMemory();
        } else {
            return false;
        }
        return true;
    }
};

/// A few steps without a branch, which the sanitizer sees just as well in the caller.
bool is_small(const Function* function, const Function& caller) {
    constexpr int kMaxInstructions = 16;
    constexpr int kMaxCalls = 1;
    if (function == nullptr || function == &caller || function->isDeclaration() ||
        function->isInterposable() || function->size() != 1 ||
        !function->hasFnAttribute(Attribute::SanitizeThread) ||
        function->front().sizeWithoutDebug() > kMaxInstructions) {
        return false;
    }
    int calls = 0;
    for (const Instruction& each : function->front()) {
        if (isa<AllocaInst>(each)) return false;
        if (isa<CallBase>(each) && !isa<IntrinsicInst>(each)) ++calls;
    }
    return calls <= kMaxCalls;
}

/// Puts small functions where they are called. Returns whether there were any.
bool inline_calls(Function& function) {
    std::vector<CallBase*> calls;
    for (BasicBlock& block : function) {
        for (Instruction& each : block) {
            auto* const call = dyn_cast<CallBase>(&each);
            if (call != nullptr && is_small(call->getCalledFunction(), function))
                calls.push_back(call);
        }
    }
    for (CallBase* const call : calls) {
        InlineFunctionInfo unused;
        InlineFunction(*call, unused);
    }
    return !calls.empty();
}

class AsWritten : public PassInfoMixin<AsWritten> {
  public:
    PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
        FunctionAnalysisManager& of_functions =
            analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
        Copies copies(module);
        // Called if an index is too large; has no effect on the program.
        if (Function* const report = module.getFunction("__ubsan_handle_out_of_bounds")) {
            report->setOnlyAccessesInaccessibleMemory();
        }
        std::vector<Function*> functions;
        for (Function& function : module) {
            if (!function.isDeclaration() && function.hasFnAttribute(Attribute::SanitizeThread)) {
                functions.push_back(&function);
            }
        }
        const auto changed = [&](Function& function) {
            of_functions.invalidate(function, PreservedAnalyses::none());
        };
        for (Function* const function : functions) {
            const Unset unset(*function);
            PromotePass().run(*function, of_functions);
            join_blocks(*function);
            changed(*function);
        }
        const Effects effects(module);
        constexpr int kDepth = 4;  // a function that calls only such functions becomes one
        for (int i = 0; i < kDepth; ++i) {
            bool any = false;
            for (Function* const function : functions) any = inline_calls(*function) || any;
            if (!any) break;
        }
        for (Function* const function : functions) {
            changed(*function);
            EarlyCSEPass(true).run(*function, of_functions);
            changed(*function);
            join_blocks(*function);
            std::vector<CallInst*> calls;
            for (BasicBlock& block : *function) {
                for (Instruction& each : block) {
                    if (auto* const call = dyn_cast<CallInst>(&each)) calls.push_back(call);
                }
            }
            for (CallInst* const call : calls) copies.replace(call);
        }
        return PreservedAnalyses::none();
    }
    static bool isRequired() { return true; }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {
        LLVM_PLUGIN_API_VERSION, "lab_as_written", "1", [](PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(AsWritten()); });
        }};
}
