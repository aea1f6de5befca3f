# The C++ stack of WebAssembly lies in memory; its top is kept in a global that C++ cannot name.
	.globaltype	__stack_pointer, i32
	.globl	wasm_stack
	.type	wasm_stack,@function
wasm_stack:
	.functype	wasm_stack () -> (i32)
	global.get	__stack_pointer
	end_function

	.globl	wasm_set_stack
	.type	wasm_set_stack,@function
wasm_set_stack:
	.functype	wasm_set_stack (i32) -> ()
	local.get	0
	global.set	__stack_pointer
	end_function
