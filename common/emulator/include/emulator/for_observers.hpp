// Everything in the emulator that a tool which observes kernels (the lab) may use. It includes
// nothing else.
#pragma once

// What it is notified about: calls of the host, launches, blocks, barriers, copies, atomic
// operations.
#include "atomics.hpp"
#include "hooks.hpp"
#include "kernel.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "site.hpp"

// What is running: the worker, its blocks and their threads, their stacks, and what was counted.
#include "block.hpp"
#include "builtins.hpp"
#include "counters.hpp"
#include "fiber.hpp"
#include "worker.hpp"

// Memory: what is allocated, and what fresh memory holds.
#include "allocations.hpp"
#include "host_blocks.hpp"
#include "memory.hpp"
#include "poison.hpp"

// The program: its functions and variables, and how the lab's calls interrupt it.
#include "faults.hpp"
#include "return_address.hpp"
#include "symbol_table.hpp"
#include "symbols.hpp"
#include "watchdog.hpp"
#ifdef __wasm__
#include "numbered_calls.hpp"
#include "traps.hpp"
#endif
