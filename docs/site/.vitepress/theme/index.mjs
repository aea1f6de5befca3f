import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';
import './print.css';
import ResultChart from './components/ResultChart.vue';
import ResultExplorer from './components/ResultExplorer.vue';
import StagePlayer from './components/StagePlayer.vue';

export default {
    extends: DefaultTheme,
    enhanceApp({ app }) {
        app.component('ResultChart', ResultChart);
        app.component('ResultExplorer', ResultExplorer);
        app.component('StagePlayer', StagePlayer);
    },
};
