// Which tests that need a browser are run today.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { SITE } from '../build/places.mjs';
import { concerns } from './chosen.mjs';

const chosen = (turn) =>
    execFileSync('node', [path.join(SITE, 'tests/chosen.mjs')], {
        encoding: 'utf8',
        env: { ...process.env, TUTORIAL_TURN: String(turn) },
    })
        .split('\n')
        .filter(Boolean);

test('in five turns each file is run, and the pages are in each of them', () => {
    const turns = [5, 6, 7, 8, 9].map(chosen);
    const all = chosen('all');
    assert.ok(all.length > 15, `${all.length} files`);
    assert.deepEqual([...new Set(turns.flat())].sort(), [...all].sort());
    for (const each of turns) assert.ok(each.includes('tests/pages.test.mjs'));
});

test('a changed file concerns the test of its folder, but a changed test does not', () => {
    assert.ok(concerns('a/b/c/d.mjs', ['e', 'a/b']));
    assert.ok(concerns('a/b', ['a/b']));
    assert.ok(!concerns('a/bc', ['a/b']));
    assert.ok(!concerns('a/b/tests/d.mjs', ['a/b']));
    assert.ok(concerns('a/tests/d.test.mjs', ['a/tests/d.test.mjs']));
});
