// C++ for the editor, with the words of CUDA; colours are variables of lab.css.
import { cpp } from '@codemirror/lang-cpp';
import { HighlightStyle, syntaxHighlighting, syntaxTree } from '@codemirror/language';
import { Decoration, MatchDecorator, ViewPlugin } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const style = HighlightStyle.define([
    {
        tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.operatorKeyword],
        color: 'var(--lab-keyword)',
    },
    { tag: [tags.comment], color: 'var(--lab-comment)' },
    { tag: [tags.string, tags.character], color: 'var(--lab-string)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--lab-number)' },
    { tag: [tags.typeName, tags.standard(tags.typeName)], color: 'var(--lab-type)' },
    { tag: [tags.processingInstruction], color: 'var(--lab-keyword)' },
]);

const WORDS =
    /\b(?:__(?:global|device|host|shared|constant|managed|restrict)__|__(?:forceinline|noinline|launch_bounds)__|__syncthreads\w*|__syncwarp|__shfl\w*_sync|__(?:any|all|ballot|match_any|match_all|reduce_\w+)_sync|__threadfence\w*|atomic[A-Z]\w*|cuda[A-Z]\w*|threadIdx|blockIdx|blockDim|gridDim|warpSize)\b|<<<|>>>/g;

const mark = Decoration.mark({ class: 'cu-cuda' });
const words = new MatchDecorator({
    regexp: WORDS,
    decorate(add, from, to, match, view) {
        const { name } = syntaxTree(view.state).resolveInner(from, 1);
        if (!/Comment|String/.test(name)) add(from, to, mark);
    },
});

const cudaWords = ViewPlugin.define(
    (view) => ({
        decorations: words.createDeco(view),
        update(change) {
            this.decorations = words.updateDeco(change, this.decorations);
        },
    }),
    { decorations: (plugin) => plugin.decorations },
);

export const cuda = [cpp(), syntaxHighlighting(style), cudaWords];
