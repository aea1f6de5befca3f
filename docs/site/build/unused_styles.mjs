// Styles of parts of VitePress that no page here has: its home page, teams, sponsors, and the window of a search
// service. Without them each page is 20 KB lighter.
const UNUSED =
    /\.(?:DocSearch-(?!Button|Search-Icon)|DocSearch--|VP(?:Team|Hero|Feature|Sponsor|Home)|vp-sponsor|algolia)/;

/** A plugin of PostCSS. */
export function withoutUnused() {
    return {
        postcssPlugin: 'without-unused',
        Rule(rule) {
            const left = rule.selectors.filter((each) => !UNUSED.test(each));
            if (left.length === 0) rule.remove();
            else if (left.length < rule.selectors.length) rule.selectors = left;
        },
    };
}
