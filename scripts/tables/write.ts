/** Writes the tables of docs/ that are made from the code: `npm run tables`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { TABLES, withTable } from './pages.js';

for (const { page, name, make } of TABLES)
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), name, make()));
