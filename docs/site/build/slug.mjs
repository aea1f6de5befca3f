// The anchor of a heading, as code-hosting sites make it: the texts link to these.
export function slug(heading) {
    return heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
        .replace(/\s/g, '-');
}
