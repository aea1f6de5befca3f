#!/usr/bin/env node
// Builds the site into build/site/out: records the traces, writes the pages, calls VitePress.
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'vitepress';
import { writePages } from './build/pages.mjs';
import { OUT, SITE } from './build/places.mjs';
import { relocate } from './build/relocate.mjs';

const pages = writePages(new Set());
await build(SITE);
relocate();
console.log(
    `${pages.texts.length} texts, ${pages.sources.length} sources: ${path.relative(process.cwd(), OUT)}`,
);
