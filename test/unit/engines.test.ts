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
  const lines = readFileSync('test/support/engines/not-asked.txt', 'utf8').trim().split('\n');

  it('leave out only what does not ask them, or says why their answers do not matter to it', () => {
    for (const line of lines) {
      const [path = '', reason] = line.split(' # ');
      const tests = testsBelow(path).filter((file) => file !== 'test/unit/engines.test.ts');
      expect(tests, path).to.not.be.empty;
      const asking = tests.filter((file) => !isApart(readFileSync(file, 'utf8')));
      if (reason === undefined) expect(asking, path).to.deep.equal([]);
    }
  });
});
