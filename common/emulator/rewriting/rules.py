"""What nvcc refuses and a C++ compiler would not: which side may call and use what.

Only certain cases: names that this file defines at namespace scope, in functions that run on only one side.
Anything that a template, a macro, an overload or a local name could make correct is left alone.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rewriting.functions import Function, closing_brace, flatten
from rewriting.text import RewriteError

VALUE_TYPES = r"(?:int|unsigned|float|double|bool|char|short|long|size_t)"
HOST_LIBRARY = {
    'cout': 'std::cout', 'cerr': 'std::cerr', 'cin': 'std::cin', 'endl': 'std::endl', 'sort': 'std::sort',
    'vector': 'std::vector', 'string': 'std::string', 'map': 'std::map', 'unordered_map': 'std::unordered_map',
    'stable_sort': 'std::stable_sort', 'thread': 'std::thread', 'mutex': 'std::mutex', 'to_string': 'std::to_string',
}  # fmt: skip
# The calls of CUDA's runtime that device code may also make (its "device runtime"), and those in no host header.
DEVICE_RUNTIME = re.compile(
    r"cuda(?:GetLastError|PeekAtLastError|GetErrorString|GetErrorName|GetDevice|GetDeviceCount|DeviceGetAttribute|"
    r"DeviceGetLimit|DeviceSynchronize|RuntimeGetVersion|Malloc|Free|Mem(?:cpy|set)(?:2D|3D)?Async|FuncGetAttributes|"
    r"StreamCreateWithFlags|StreamDestroy|StreamWaitEvent|Event(?:CreateWithFlags|Record|RecordWithFlags|Destroy)|"
    r"Occupancy\w+|GetParameterBuffer\w*|LaunchDevice\w*|LaunchKernel\w*|Graph\w+|GridDependencySynchronize|"
    r"TriggerProgrammaticLaunchCompletion|CG\w+|GetCurrentGraphExec)"
)
HOST_C_FUNCTIONS = ("rand", "srand", "fprintf", "fopen", "fclose", "scanf", "puts", "exit", "gettimeofday", "calloc")
FILE_VARIABLE = re.compile(
    r"^\s*(?P<words>(?:(?:static|unsigned|signed|volatile|long|short|const|constexpr|extern|inline|"
    r"__device__|__constant__|__managed__|__shared__|__align__\s*\(\s*\d+\s*\))\s+)*"
    r"(?:int|float|double|char|bool|unsigned|long|short|size_t|u?int(?:8|16|32|64)_t|float[234]|int[234]|"
    r"std::(?:vector|string|array|map)\b\s*(?:<[^;=]*>)?)?)"
    r"[\s*&]+(?P<name>[A-Za-z_]\w*)\s*(?P<rest>(?:\[[^;=]*\]\s*)*(?:=.*|,.*)?)$",
    re.DOTALL,
)


def uses(code: str, name: str, begin: int, end: int):
    """A name by itself: not a member, not a name from another scope."""
    for found in re.compile(rf"(?<![\w.:])(?<!->)(?<!\btemplate\s){name}\b(?!\s*::)").finditer(code, begin, end):
        yield found


def uses_of(code: str, names: Iterable[str], function: Function) -> Iterator[tuple[str, re.Match[str]]]:
    """Each name that the function uses by itself and does not declare, and where."""
    for name in names:
        if not is_shadowed(code, function, name):
            for found in uses(code, name, function.body, function.end):
                yield name, found


def is_shadowed(code: str, function: Function, name: str) -> bool:
    """Whether the function may have a local declaration of that name."""
    if re.search(rf"\b{name}\b", function.head):
        return True
    body = declarations(code[function.body : function.end])
    if re.search(rf"\bauto\s*&*\s*\[[^]]*\b{name}\b", body):
        return True
    return re.search(rf"(?:[\w>\]][\s*&]+|,[\s*&]*){name}\s*(?:[=;,\[({{:)]|$)", body) is not None


@lru_cache(maxsize=64)
def declarations(body: str) -> str:
    """A body in which a comma or a word before a name may declare that name: without words that are not
    types, and with semicolons for the commas between the arguments of calls."""
    text = list(without_words(body))
    of_calls: list[bool] = []  # for each open parenthesis or brace: whether it may be a call's
    for mark in re.finditer(r"(\bfor\s*)?\(|[){},]", "".join(text)):
        if mark.group(0) == "{" or mark.group(0).endswith("("):
            of_calls.append(mark.group(0) == "(")
        elif mark.group(0) != ",":
            if of_calls:
                of_calls.pop()
        elif of_calls and of_calls[-1]:
            text[mark.start()] = ";"
    return "".join(text)


def without_words(body: str) -> str:
    """Words that may precede a use and are not types."""
    return re.sub(r"\b(?:return|else|do|case|new|delete|sizeof|throw|goto|co_return)\b", ";", body)


def file_statements(code: str, functions: list[Function]) -> Iterator[tuple[int, int]]:
    """Where each statement at namespace scope begins, and where its semicolon is: no functions, no classes."""
    outside = list(code)
    for function in functions:
        for i in range(function.start, function.end + 1):
            if outside[i] != "\n":
                outside[i] = " "
    text = "".join(outside)
    # Also outside classes; but the search enters the braces of a namespace.
    depth = 0
    classes: list[bool] = []
    begin = 0
    for mark in re.finditer(r"[;{}]", text):
        at = mark.start()
        if mark.group(0) == "{":
            head = text[begin:at]
            is_open = re.search(r"\bnamespace\b|\bextern\b", head) is not None and "=" not in head
            classes.append(not is_open)
            depth += not is_open
            if is_open:
                begin = at + 1
        elif mark.group(0) == "}":
            if classes:
                was_class = classes.pop()
                depth -= was_class
                if not was_class:
                    begin = at + 1
        elif depth == 0:
            # Without the blanks that replaced earlier functions, in which a pattern would backtrack.
            begin += len(text[begin:at]) - len(text[begin:at].lstrip())
            yield begin, at
            begin = at + 1


def file_variables(code: str, functions: list[Function]) -> dict[str, tuple[str, int]]:
    """Variables at namespace scope: the words before the name, and where."""
    found: dict[str, tuple[str, int]] = {}
    for begin, end in file_statements(code, functions):
        statement = code[begin:end]
        variable = FILE_VARIABLE.match(statement)
        if variable and variable.group("words").strip() and "typedef" not in statement and "using" not in statement:
            found[variable.group("name")] = (variable.group("words"), begin + variable.start("name"))
    return found


def check_kernels(code: str, functions: list[Function]) -> None:
    for found in re.finditer(
        rf"\b__global__\b((?:\s+(?:static|inline|__launch_bounds__\s*\([^)]*\)))*)\s+{VALUE_TYPES}\s+(\w+)\s*\(", code
    ):
        raise RewriteError(
            found.start(), f"kernel {found.group(2)} returns a value: a __global__ function must return void"
        )
    for function in functions:
        if function.is_kernel and function.is_member:
            raise RewriteError(
                code.index("__global__", function.start),
                f"kernel {function.name} is a member function: a __global__ function must be a free function. "
                "Pass it the members that it uses",
            )


def check_device_code(code: str, functions: list[Function], variables: dict[str, tuple[str, int]]) -> None:
    by_name: dict[str, list[Function]] = {}
    for function in functions:
        by_name.setdefault(function.name, []).append(function)
    # A name that is also declared __device__ or __global__ elsewhere may be either function.
    host_only = {
        name
        for name, all_of_it in by_name.items()
        if all(each.is_plain_host and not each.is_member for each in all_of_it)
        and not re.search(rf"__(?:device|global)__[^;{{}}]*\b{name}\s*\(", code)
        and not re.search(rf"#\s*define\s+{name}\b", code)
    }
    host_variables = {
        name
        for name, (words, _) in variables.items()
        if not re.search(r"\b(?:const|constexpr|__device__|__constant__|__managed__|__shared__|extern)\b", words)
    }
    for function in functions:
        if not function.runs_on_device or function.runs_on_host:
            continue
        side = f"kernel {function.name}" if function.is_kernel else f"__device__ function {function.name}"
        # Code inside an #if may be for the host.
        if "__CUDA_ARCH__" in code[function.body : function.end]:
            continue
        for name, found in uses_of(code, host_variables, function):
            raise RewriteError(
                found.start(),
                f"{name} is a variable of the host, and {side} cannot use it: declare it __device__, __constant__ "
                "or __managed__, or pass it as an argument",
            )
        for name, found in uses_of(code, host_only, function):
            if re.match(r"\s*(?:<[^;{}()]*>\s*)?\(", code[found.end() :]):
                raise RewriteError(found.start(), f"{side} calls {name}, a function of the host: it needs __device__")
        for found in re.compile(r"\b(?:throw|try)\b").finditer(code, function.body, function.end):
            raise RewriteError(found.start(), f"{side} has a {found.group(0)}: there are no exceptions on a device")
        for found in re.compile(r"\bstd::(\w+)\b").finditer(code, function.body, function.end):
            if found.group(1) in HOST_LIBRARY:
                raise RewriteError(
                    found.start(), f"{side} uses {HOST_LIBRARY[found.group(1)]}, which only the host has"
                )
        for name, found in uses_of(code, HOST_C_FUNCTIONS, function):
            is_its_own = name in by_name or re.search(rf"#\s*define\s+{name}\b", code)
            if not is_its_own and re.match(r"\s*\(", code[found.end() :]):
                raise RewriteError(found.start(), f"{side} calls {name}(), which only the host has")
        for found in uses(code, r"cuda[A-Z]\w+(?=\s*\()", function.body, function.end):
            name = found.group(0)
            if not (name in by_name or DEVICE_RUNTIME.fullmatch(name) or is_shadowed(code, function, name)):
                raise RewriteError(found.start(), f"{side} calls {name}(), which only the host has")


def device_lambdas(code: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Bodies of lambdas marked __device__ inside a function."""
    ranges = []
    for found in re.compile(r"\]\s*(?:__host__\s*)?__device__").finditer(code, begin, end):
        opening = code.find("{", found.end())
        close = closing_brace(code, opening)
        if 0 <= close < end:
            ranges.append((opening, close))
    return ranges


def device_bodies(code: str, functions: list[Function]) -> list[tuple[int, int]]:
    """Bodies of functions that run on the device, and of such lambdas in the others."""
    ranges = [(each.body, each.end) for each in functions if each.runs_on_device]
    for each in functions:
        if not each.runs_on_device:
            ranges += device_lambdas(code, each.body, each.end)
    return ranges


def check_host_code(code: str, functions: list[Function], variables: dict[str, tuple[str, int]]) -> None:
    by_name: dict[str, list[Function]] = {}
    for function in functions:
        by_name.setdefault(function.name, []).append(function)

    def all_are(name, test):
        return all(test(each) and not each.is_member for each in by_name[name]) and not re.search(
            rf"\b(?:define|using|class|struct)\s+(?:\w+::)*{name}\b", code
        )

    kernels = {name for name in by_name if all_are(name, lambda each: each.is_kernel)}
    device_only = {
        name
        for name in by_name
        if all_are(name, lambda each: not each.is_kernel and each.runs_on_device and not each.runs_on_host)
    }
    device_variables = {
        name
        for name, (words, _) in variables.items()
        if re.search(r"\b(?:__device__|__constant__)\b", words)
        and not re.search(r"\b(?:const|constexpr|__managed__)\b", words)
    }
    for function in functions:
        if not function.is_plain_host:
            continue
        lambdas = device_lambdas(code, function.body, function.end)

        def in_lambda(position):
            return any(begin <= position <= end for begin, end in lambdas)

        for name, found in uses_of(code, kernels, function):
            before = code[function.body : found.start()].rstrip()
            behind = re.match(r"\s*(?:<[\w\s,:*]*>\s*)?\(", code[found.end() :])
            if before.endswith((";", "{", "}")) and behind and not in_lambda(found.start()):
                raise RewriteError(
                    found.start(),
                    f"kernel {name} is called like a function: launch it as {name}<<<grid, block>>>(...)",
                )
        for name, found in uses_of(code, device_only, function):
            if re.match(r"\s*(?:<[\w\s,:*]*>\s*)?\(", code[found.end() :]) and not in_lambda(found.start()):
                raise RewriteError(
                    found.start(),
                    f"{function.name}, a function of the host, calls {name}, which is __device__ only: "
                    "it needs __host__ __device__",
                )
        for name, found in uses_of(code, device_variables, function):
            written = re.match(r"\s*(?:\[[^][;]*\]\s*)*(?:[+\-*/|&^%]?=(?!=)|\+\+|--)", code[found.end() :])
            if written and not in_lambda(found.start()):
                raise RewriteError(
                    found.start(),
                    f"{function.name}, a function of the host, writes {name}, a variable of the device: "
                    "cudaMemcpyToSymbol copies to it, cudaMemcpyFromSymbol from it",
                )


def check_launches(text: str, code: str, functions: list[Function]) -> None:
    if re.search(r'^[ \t]*#[ \t]*include[ \t]*"', text, re.MULTILINE):
        return  # a kernel of the same name may be there
    for found in re.finditer(r"(?<![\w.:>])(\w+)\s*(?:<[^;{}()]*>\s*)?<<<", code):
        name = found.group(1)
        all_of_it = [each for each in functions if each.name == name]
        inside = [each for each in functions if each.body < found.start() < each.end]
        if not all_of_it or any(each.is_kernel or each.is_member for each in all_of_it):
            continue
        if any(re.search(r"\b[A-Z][A-Z\d_]+\b", each.head[: each.head.index(name)]) for each in all_of_it):
            continue  # a macro, which may be __global__
        if re.search(rf"__global__[^;{{}}]*\b{name}\s*\(", code) or any(is_shadowed(code, f, name) for f in inside):
            continue
        raise RewriteError(found.start(), f"{name} is launched, but it is not a kernel: it needs __global__")


def check(text: str, functions: list[Function]) -> None:
    """Raises RewriteError at the first place that nvcc refuses."""
    if "__global__" not in text and "__device__" not in text and "<<<" not in text:
        return
    code = flatten(text)
    check_kernels(code, functions)
    if not functions:
        return
    variables = file_variables(code, functions)
    # Nothing of a #define is left in `code`; a name that is also a macro is left alone.
    macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
    known = [function for function in functions if function.name not in macros]
    variables = {name: value for name, value in variables.items() if name not in macros}
    check_device_code(code, known, variables)
    check_host_code(code, known, variables)
    check_launches(text, code, known)
