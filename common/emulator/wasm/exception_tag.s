# What WebAssembly's instructions throw and catch for C++; C++ cannot define it.
	.tagtype	__cpp_exception i32
	.globl	__cpp_exception
__cpp_exception:
