/** Writes the tables of docs/embedded.md that follow from the engine's own: `npm run tables`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { DOCUMENT, withTables } from '../test/support/tables.js';

writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')));
