import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

/** Opens a database on the server under test. */
const OPENS =
  /\b(?:testStore|testDocuments|startTestServer|startTwo|startAdopted|start(?:Conformance|Imported)Server)\(/;
const GIVEN = "process.env['MONGODB_URI']";

/** Whether a test file has another server than the one that MONGODB_URI names, or none. */
const isApart = (text: string): boolean =>
  !OPENS.test(text) && (!text.includes(GIVEN) || /delete process\.env\[(?:'MONGODB_URI'|name)\]/.test(text));

const testsBelow = (line: string): readonly string[] =>
  line.endsWith('/')
    ? readdirSync(line, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join(line, name))
    : [line];

describe('the runs of the suite on other engines', () => {
  it('leave out only what does not ask them', () => {
    const lines = readFileSync('test/support/engines/not-asked.txt', 'utf8').trim().split('\n');
    for (const line of lines) {
      const tests = testsBelow(line).filter((file) => file !== 'test/unit/engines.test.ts');
      expect(tests, line).to.not.be.empty;
      expect(tests.filter((file) => !isApart(readFileSync(file, 'utf8')))).to.deep.equal([]);
    }
  });
});
