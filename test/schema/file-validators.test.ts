/** The validators written by the build give the same results as those compiled from the sources. */
import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { expect } from 'chai';
import { compiledValidators, fileValidators } from '../../src/schema/files/file-validators.js';
import { compiled } from '../support/compiled.js';
import { componentFile, typeFile } from '../support/schemas.js';

const KINDS = ['contentType', 'component', 'extension'] as const;
type Kind = (typeof KINDS)[number];

/** The exports of the CommonJS module. */
function load(source: string): Record<Kind, ValidateFunction> {
  const exports = {} as Record<Kind, ValidateFunction>;
  new Function('require', 'exports', 'module', source)(createRequire(import.meta.url), exports, { exports });
  return exports;
}

const ATTRIBUTES: readonly object[] = [
  { type: 'string', maxLength: 5, required: true },
  { type: 'string', maxLength: 'five' },
  { type: 'nothing' },
  { type: 'enumeration', enum: [] },
  { type: 'relation', relation: 'oneToMany' },
  { type: 'relation', relation: 'manyToOne', target: 'api::x.x', inversedBy: 7 },
  { type: 'component', component: 'no dot' },
  { type: 'dynamiczone', components: [], extra: true },
  { type: 'integer', min: '3', default: 'x' },
  {},
];

describe('validators of schema files', () => {
  const built = load(compiledValidators());

  it('are what a built server loads, instead of compiling them at each start', async () => {
    const place = compiled('src/schema/files/file-validators.ts');
    const files: { readonly fileValidators: typeof fileValidators } = await import(place);
    // What ajv compiles in the process has this.
    const isCompiledHere = (validators: object): boolean =>
      Object.values(validators).some((validate) => 'schemaEnv' in validate);
    expect(isCompiledHere(files.fileValidators())).to.equal(false);
    expect(isCompiledHere(fileValidators())).to.equal(true);
  });

  it('are up to date with the sources', () => {
    const whole = Object.fromEntries(ATTRIBUTES.map((attribute, at) => [`a${at}`, attribute]));
    const contents: unknown[] = [null, 5, [], {}, { kind: 'x' }];
    for (const attributes of [{}, whole, { '5': { type: 'string' } }, ...ATTRIBUTES.map((one) => ({ one }))])
      contents.push(
        typeFile('thing', attributes as Record<string, object>).content,
        componentFile('part.thing', attributes as Record<string, object>).content,
        { attributes },
      );
    let refused = 0;
    for (const kind of KINDS)
      for (const content of contents) {
        const now = fileValidators()[kind];
        const wanted = [now(content), now.errors];
        expect([built[kind](content), built[kind].errors]).to.deep.equal(wanted);
        if (now.errors) refused += 1;
      }
    expect(refused).to.be.within(10, KINDS.length * contents.length - 3);
  });
});
