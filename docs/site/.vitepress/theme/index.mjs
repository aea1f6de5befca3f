import { defineAsyncComponent, h } from 'vue';
import DefaultTheme from 'vitepress/theme-without-fonts';
import ResultChart from './charts/ResultChart.vue';
import ResultExplorer from './charts/ResultExplorer.vue';
import LanguageSwitch from './LanguageSwitch.vue';
import LabPage from './lab/LabPage.vue';
import ListingRun from './listing/ListingRun.vue';
import PlayerPage from './player/PlayerPage.vue';
import StagePlayer from './player/StagePlayer.vue';
import { openPicturesLarge } from './pictures.mjs';
import { learnWithPages, speakAsThePage } from './page_language.mjs';
import { prefetchOnHover } from './prefetch.mjs';
import './charts/charts.css';
import './home/home.css';
import './home/stairs.css';
import './listing/listing.css';
import './player/player.css';
import './player/strip.css';
import './print.css';
import './style.css';
import './toys/toys.css';

/** Each is used on one page only; the others do not load it. */
const GpuToy = defineAsyncComponent(() => import('./toys/GpuToy.vue'));
const LivePair = defineAsyncComponent(() => import('./home/LivePair.vue'));
const SolvedMarks = defineAsyncComponent(() => import('./home/SolvedMarks.vue'));

export default {
    extends: DefaultTheme,
    Layout: {
        setup() {
            speakAsThePage();
            return () =>
                h(DefaultTheme.Layout, null, {
                    'nav-bar-content-after': () => h(LanguageSwitch),
                    'nav-screen-content-after': () => h(LanguageSwitch),
                });
        },
    },
    enhanceApp({ app, router }) {
        learnWithPages(router);
        for (const [name, component] of Object.entries({
            LabPage,
            GpuToy,
            ListingRun,
            LivePair,
            PlayerPage,
            ResultChart,
            ResultExplorer,
            SolvedMarks,
            StagePlayer,
        })) {
            app.component(name, component);
        }
        if (import.meta.env.SSR) return;
        prefetchOnHover();
        openPicturesLarge();
    },
};
