/** Writes the tables of docs/embedded.md that follow from the engine's own: `tsx scripts/engine-docs.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { DOCUMENT, withTables } from '../test/support/engine-docs.js';

writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')));
