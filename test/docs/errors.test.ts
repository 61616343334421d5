import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { messages } from '../../src/documents/validate/messages.js';
import { type ApiError, errors } from '../../src/errors.js';
import { type Refusal, refusals } from '../support/refusals.js';

const text = readFileSync('docs/errors.md', 'utf8');

/** Refusals of the tables, as `400 ValidationError message`. */
const rows = [...text.matchAll(/^\| (\d+) \| (\w+) \| `(.+?)` \| (?:Strapi|Mangrove) \|$/gm)].map(
  ([, status, name, message]) => `${status} ${name} ${message?.replaceAll('\\|', '|')}`,
);

/** Words that other words are put into (the page lists those), and refusals that no request meets. */
const NOT_ROWS = new Set(['… …', '… at …', 'Token … already exists', '"…" is no name for a database']);
/** Rows whose words are not written in one call of `errors`. */
const OTHERWISE = new Set([
  '400 ValidationError Invalid key …',
  '400 ValidationError Invalid key … at …',
  '400 ValidationError Missing "data" payload in the request body',
  '400 ValidationError … relation(s) of type … associated with this entity do not exist',
]);

const CASES: Readonly<Record<string, (message: string) => ApiError>> = {
  validation: errors.validation,
  application: errors.application,
  pagination: errors.pagination,
  missing: errors.missing,
  unauthorized: errors.unauthorized,
  tooLarge: errors.tooLarge,
};

const rowOf = ({ kind, message }: Refusal): string => {
  const error = CASES[kind]?.(message);
  return `${error?.status} ${error?.name} ${message}`;
};

describe('docs/errors.md', () => {
  const written = refusals().filter(({ message }) => !NOT_ROWS.has(message));

  it('is checked against a source that was read', () => {
    expect(written.length).to.be.above(80);
  });
  for (const refusal of written)
    it(`has ${refusal.message} (${refusal.file})`, () => {
      expect(rows).to.include(rowOf(refusal));
    });

  it('has no row that the source does not have', () => {
    const known = new Set([...written.map(rowOf), ...OTHERWISE]);
    expect(rows.filter((row) => !known.has(row))).to.eql([]);
  });

  for (const [keyword, words] of Object.entries(messages).filter(([key]) => !/^(type|numeric)$/.test(key)))
    it(`has the words of ${keyword}`, () => {
      const limit = keyword === 'listedComponent' ? { listed: '…' } : '…';
      for (const action of ['create', 'update'] as const)
        expect(text).to.include(words({ field: '…', limit, value: '…', original: '…', action }));
    });

  for (const make of [
    errors.notFound,
    errors.forbidden,
    errors.unauthorized,
    errors.rateLimited,
    errors.busy,
  ])
    it(`has ${make().message}`, () => {
      const { status, name, message } = make();
      expect(text).to.match(new RegExp(`^\\| ${status} \\| \`${name}\` \\| .*${message}`, 'm'));
    });
});
