import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { TABLES, withTable } from '../../scripts/tables/pages.js';

describe('tables of docs/', () => {
  for (const { page, name, make } of TABLES)
    it(`${page}: the table ${name} is up to date (npm run tables)`, () => {
      const text = readFileSync(page, 'utf8');
      expect(text).to.equal(withTable(text, name, make()));
    });
});
