import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { messages } from '../../src/documents/validate/field-errors.js';
import { ERROR_CODES, type ErrorCode, isOwn } from '../../src/error-codes.js';
import { type ApiError, errors } from '../../src/errors.js';
import { type Refusal, refusals } from '../support/refusals.js';

const text = readFileSync('docs/errors.md', 'utf8');

/** Errors in the tables, as `code 400 ValidationError message`. */
const tableRows = [
  ...text.matchAll(/^\| `([\w-]+)` \| (\d+) \| (\w+) \| `(.+?)` \| (Strapi|Mangrove) \|$/gm),
];
const rows = tableRows.map(
  ([, code, status, name, message]) => `${code} ${status} ${name} ${message?.replaceAll('\\|', '|')}`,
);

/** Errors of commands, which no request causes. */
const COMMANDS: ReadonlySet<string> = new Set([
  'action-unknown',
  'command-refused',
  'content-in-the-way',
  'history-not-kept',
  'source-not-supported',
  'database-name-invalid',
  'folder-not-empty',
  'folder-not-usable',
  'position-lost',
  'role-exists',
  'role-configured',
  'role-permanent',

  'token-exists',
  'token-not-found',
  'token-options-conflict',
  'write-concern-unacknowledged',
]);

/** Messages that are inserted into others (the page lists those), and errors that no request causes. */
const NOT_ROWS = new Set([
  '… …',
  '… at …',
  'Token … already exists',
  '"…" is not a valid database name',
  'w=0 in the URI: every write must be acknowledged',
  'The events after this position have been deleted: read the content again, then continue from now',
]);
/** Rows whose message is not written in one call of `errors`. */
const OTHERWISE = new Set([
  'key-invalid 400 ValidationError Invalid key …',
  'key-invalid 400 ValidationError Invalid key … at …',
  'data-missing 400 ValidationError Missing "data" payload in the request body',
  'fields-not-valid 400 ValidationError … relation(s) of type … associated with this entity do not exist',
]);

const CASES: Readonly<Record<string, (code: ErrorCode, message: string) => ApiError>> = {
  validation: errors.validation,
  application: errors.application,
  pagination: errors.pagination,
  missing: errors.missing,
  unauthorized: errors.unauthorized,
  tooLarge: errors.tooLarge,
  late: errors.late,
  bare: errors.bare,
};

const rowOf = ({ kind, code, message }: Refusal): string => {
  const error = CASES[kind]?.(code as ErrorCode, message);
  return `${code} ${error?.status} ${error?.name} ${message}`;
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

  it('has no row without a source', () => {
    const known = new Set([...written.map(rowOf), ...OTHERWISE]);
    expect(rows.filter((row) => !known.has(row))).to.eql([]);
  });

  it('has each code, and no other', () => {
    const table = text.split('\n').filter((line) => line.startsWith('|'));
    const isNamed = (code: string): boolean => table.some((line) => line.includes(`\`${code}\``));
    const codes = Object.keys(ERROR_CODES);
    expect(codes.filter((code) => !isNamed(code) && !COMMANDS.has(code))).to.eql([]);
    expect(codes).to.include.members(tableRows.map(([, code]) => code));
  });

  for (const [, code = '', status, , message, whose] of tableRows)
    it(`states whose message ${message} is, and its status`, () => {
      expect(isOwn(code as ErrorCode)).to.equal(whose === 'Mangrove');
      expect(String(ERROR_CODES[code as ErrorCode].status)).to.equal(status);
    });

  for (const [keyword, words] of Object.entries(messages).filter(([key]) => !/^(type|numeric)$/.test(key)))
    it(`has the message of ${keyword}`, () => {
      const limit = keyword === 'listedComponent' ? { listed: '…' } : '…';
      for (const action of ['create', 'update'] as const)
        expect(text).to.include(words({ field: '…', limit, value: '…', original: '…', action }));
    });

  for (const make of [
    errors.notFound,
    errors.forbidden,
    errors.credentialUnknown,
    errors.rateLimited,
    errors.busy,
  ])
    it(`has ${make().message}`, () => {
      const { status, name, message } = make();
      expect(text).to.match(new RegExp(`^\\| ${status} \\| \`${name}\` \\| .*${message}`, 'm'));
    });
});
