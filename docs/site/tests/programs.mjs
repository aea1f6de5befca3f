// Where the lab's programs are.
import path from 'node:path';
import { ROOT } from '../build/places.mjs';

export const PROGRAMS = process.env.TUTORIAL_PROGRAMS ?? path.join(ROOT, 'build/cpu/bin');
