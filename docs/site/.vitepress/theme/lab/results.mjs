// The results of a run, next to the program's lines and in tabs; which tab is shown.
import { computed, ref, watch } from 'vue';
import { t } from '../language.mjs';
import { beside } from './counts.mjs';
import { faultsOf, reportsOf } from './verdict.mjs';

/** The tab of the requested action. */
const TAB_OF = { run: 'verdict', count: 'counts', faults: 'faults', play: 'play' };

/** The only place in such a report is where the memory came from. */
const FROM_THERE = /\bfrom cuda\w+ at \S+$/;

/** @param result, file, isNarrow refs */
export function useResults({ result, file, isNarrow }) {
    const tab = ref('verdict');
    const counts = computed(() =>
        result.value?.counts ? beside(result.value.counts, file.value) : new Map(),
    );
    const faults = computed(() => faultsOf(result.value));
    const here = ({ file: place }) => place?.split('/').at(-1) === file.value;
    const messages = computed(() => [
        ...(result.value?.diagnostics ?? []).filter(here),
        ...faults.value
            .filter(here)
            .map(({ line, title, isNote }) => ({ line, severity: isNote ? 'info' : 'error', text: title })),
        ...reportsOf(result.value)
            .filter(here)
            .map(({ line, text: words }) => {
                const [text] = words.split('\n');
                // A run knows which allocation was overrun, not which line did it: Faults does.
                return { line, severity: FROM_THERE.test(text) ? 'info' : 'error', text };
            }),
    ]);
    const tabs = computed(() => [
        { id: 'verdict', title: t`Verdict` },
        { id: 'counts', title: t`Counts` },
        ...(isNarrow.value ? [] : [{ id: 'faults', title: t`Faults` }]),
        { id: 'play', title: t`Play` },
    ]);
    watch(tabs, (all) => {
        if (!all.some(({ id }) => id === tab.value)) tab.value = 'verdict';
    });

    /** The tab that shows the requested result, if there is anything to show. */
    function show(mode) {
        const { counts: counted, faults: found, recording, noRecording } = result.value;
        const there = { counts: counted, faults: found, play: recording ?? noRecording };
        const wanted = TAB_OF[mode];
        const isWrong = reportsOf(result.value).length > 0;
        const hasTab = there[wanted] && tabs.value.some(({ id }) => id === wanted);
        tab.value = hasTab && !isWrong ? wanted : 'verdict';
    }

    /** The line worth looking at first: that of a message, otherwise the most wasteful counted line. */
    const telling = computed(() => {
        if (messages.value.length) return messages.value[0].line;
        const [found] = [...counts.value].sort(([a, x], [b, y]) => y.ratio - x.ratio || a - b);
        return found?.[0] ?? 0;
    });

    return { tab, tabs, counts, faults, messages, telling, show };
}
