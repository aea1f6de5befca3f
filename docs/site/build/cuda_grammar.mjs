// CUDA C++ for the highlighter: C++ plus CUDA's additions.
export const cuda = {
    name: 'cuda',
    scopeName: 'source.cuda',
    embeddedLangs: ['cpp'],
    patterns: [{ include: 'source.cpp' }],
    injections: {
        'L:source.cuda -comment -string': {
            patterns: [
                {
                    match: '\\b(__global__|__device__|__host__|__shared__|__constant__|__managed__|__restrict__|__forceinline__|__noinline__|__launch_bounds__)\\b',
                    name: 'storage.modifier.cuda',
                },
                { match: '<<<|>>>', name: 'keyword.control.cuda' },
                {
                    match: '\\b(threadIdx|blockIdx|blockDim|gridDim|warpSize)\\b',
                    name: 'constant.language.cuda',
                },
                {
                    match: '\\b(__syncthreads\\w*|__syncwarp|__shfl\\w*_sync|__(?:any|all|ballot|match_any|match_all|reduce_\\w+)_sync|__threadfence\\w*|atomic[A-Z]\\w*|cuda[A-Z]\\w*)\\b',
                    name: 'support.function.cuda',
                },
            ],
        },
    },
};
