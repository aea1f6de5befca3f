// What a program prints, in the page: drawn once per frame, however often text arrives.

const frame = globalThis.requestAnimationFrame ?? ((draw) => setTimeout(draw, 16));

/** `answer`: where it belongs (answer.mjs). Returns of => add(text). */
export function useOutput(answer) {
    let latest;
    return (of) => {
        const mine = (latest = {});
        let text = '';
        let isAsked = false;
        answer.set(of, '');
        return (part) => {
            text += part;
            if (isAsked) return;
            isAsked = true;
            frame(() => {
                isAsked = false;
                if (mine === latest) answer.set(of, text);
            });
        };
    };
}
