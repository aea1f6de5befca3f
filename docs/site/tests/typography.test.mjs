// What a book sets differently from a text file: powers, units, formulas, numbers of figures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figureNumber, figuresIn } from '../build/figures.mjs';
import { formula } from '../build/formula.mjs';
import { CHAPTERS, textOf } from '../build/places.mjs';
import { pagesBeside } from '../build/texts.mjs';
import { pictureOfBook, typeset } from '../build/typography.mjs';

test('powers are raised, and what is only written with ^ is not', () => {
    for (const [plain, wanted] of [
        ['n = 2^20 keys', 'n = 2<sup>20</sup> keys'],
        ['u = 2^-24, (1 + u)^d - 1', 'u = 2<sup>−24</sup>, (1 + u)<sup>d</sup> - 1'],
        ['2^16 to 2^28', '2<sup>16</sup> to 2<sup>28</sup>'],
        ['position ^ (i - 1)', 'position ^ (i - 1)'],
        ['lane ^ 4 and ^2', 'lane ^ 4 and ^2'],
    ])
        assert.equal(typeset(plain), wanted);
});

test('microseconds have their sign, and numbers stay with their units', () => {
    const space = '\u00a0';
    for (const [plain, wanted] of [
        ['takes 3.5 us.', `takes 3.5${space}µs.`],
        ['30 to 40 us ±2 %', `30 to 40${space}µs ±2${space}%`],
        ['it shows us 3 GB/s', `it shows us 3${space}GB/s`],
        ['tell us. Use us-west', 'tell us. Use us-west'],
    ])
        assert.equal(typeset(plain), wanted);
});

test('a picture of the book: powers, microseconds, no box of another black', () => {
    const svg = '<svg width="2"><style>.p{fill:#0d1117}</style><text x="2">2^20: 7 us</text></svg>';
    assert.equal(
        pictureOfBook(svg),
        '<svg width="2"><style>.p{fill:#1b1b1f}</style><text x="2">2²⁰: 7 µs</text></svg>',
    );
});

test('formulas become MathML, commands and numbers do not', () => {
    assert.match(
        formula('max(a, b) = a'),
        /^<math display="block"><mrow><mi>max<\/mi>.*<mi>a<\/mi><\/mrow><\/math>$/,
    );
    assert.match(
        formula('|e| <= u = 2^-24'),
        /<mo stretchy="false">≤<\/mo>.*<msup><mn>2<\/mn><mrow>.*−.*<mn>24<\/mn>/,
    );
    assert.match(
        formula('k + k/(k+1) = x1 * x'),
        /<mfrac><mi>k<\/mi><mrow><mi>k<\/mi>.*<mn>1<\/mn><\/mrow><\/mfrac>/,
    );
    assert.match(
        formula('4 n bytes / (bytes per second)'),
        /^<math[^>]*><mfrac><mrow><mn>4.*<\/mrow><mrow><mtext>bytes/,
    );
    assert.match(formula('bytes = bandwidth x latency'), /<mtext>bandwidth<\/mtext><mo[^>]*>×<\/mo><mtext>/);
    for (const other of [
        './tutorial check first/ex5 --play',
        'cp docs/examples/transpose.cu my.cu',
        '512 731 744',
        'grading::Verdict verdict = grading::judge(grader);',
        'cmake --preset cpu',
    ])
        assert.equal(formula(other), null, other);
    assert.throws(() => formula('a = (b'), /not closed/);
});

test('every indented line of the chapters with an equals sign is a formula', () => {
    let count = 0;
    for (const { folder } of CHAPTERS) {
        for (const text of [`${folder}/README.md`, ...pagesBeside(folder)]) {
            const plain = textOf(text).replace(/^```[^]*?^```/gm, '');
            for (const [, line] of plain.matchAll(/\n\n {4}(\S.* = .*)\n\n/g)) {
                assert.match(formula(line) ?? '', /^<math/, `${text}: ${line}`);
                ++count;
            }
        }
    }
    assert.ok(count >= 5, `${count} formulas`);
});

test("figures are counted over a chapter's pages, and from 1 elsewhere", () => {
    assert.equal(
        figuresIn('![a\nb](c.svg)\n\n```\n![x](y.svg)\n```\n\ntext ![in](line.svg)\n\n![d](e.svg)\n'),
        2,
    );
    const seen = [];
    const [{ folder }] = CHAPTERS;
    for (const text of [`${folder}/README.md`, ...pagesBeside(folder)]) {
        const count = figuresIn(textOf(text));
        for (let at = 0; at < count; ++at) seen.push(figureNumber(text, at));
    }
    assert.ok(seen.length > 5);
    assert.deepEqual(
        seen,
        seen.map((_, at) => `1.${at + 1}`),
    );
    assert.equal(figureNumber('docs/gpu.md', 1), '2');
});
