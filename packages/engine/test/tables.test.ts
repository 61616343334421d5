import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { DOCUMENT, withTables } from './support/tables.js';

describe('docs/embedded.md', () => {
  it('has up-to-date tables; npm run tables writes them', () => {
    const page = readFileSync(DOCUMENT, 'utf8');
    for (const name of ['commands', 'limits', 'indexes']) expect(page).to.include(`<!-- ${name} -->`);
    expect(withTables(page) === page, 'the tables are out of date').to.equal(true);
  });
});
