/**
 * Every recorded GET of a content type, replayed on the pure part of a read: text → AST → check → plan. Where Strapi refused,
 * the same refusal is expected; where it answered, none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { checkQuery } from '../../src/query/check.js';
import { parseQuery, parseQueryText } from '../../src/query/parse.js';
import { planRead } from '../../src/query/plan.js';
import type { Caller } from '../../src/query/read-plan.js';
import type { QuerySettings } from '../../src/query/settings.js';
import { byRoute } from '../../src/schema/find.js';
import { loadSchema } from '../../src/schema/load.js';
import type { Schema } from '../../src/schema/types.js';
import { callers, corpusFolder, corpusSettings } from '../support/corpus/query.js';

interface RecordedError {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

interface Recorded {
  readonly status: number;
  readonly body?: { readonly error?: RecordedError };
}

interface Case {
  readonly name: string;
  readonly auth: string;
  readonly server?: string;
  readonly request: { readonly method: string; readonly path: string };
  readonly response: Recorded;
  readonly alt?: Readonly<Record<string, Recorded>>;
}

/** Cases that differ by decision, with the row of SPEC 0.4. They must be refused with a 400, or pass as written. */
const decided: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'query-differences.json'), 'utf8'),
);

const folder = join(corpusFolder, 'public', 'read');
const cases: readonly Case[] = readdirSync(folder).flatMap((file) =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Case => JSON.parse(line)),
);

/** A bad percent escape in the path is the router's (SPEC A.1). */
const route = /^\/api\/([a-z]+)(?:\/((?!%zz)[^/?]+))?\/?(?:\?(.*))?$/;

describe('recorded queries', () => {
  let schema: Schema;
  before(async () => {
    schema = await loadSchema({ folder: join(corpusFolder, 'fixture', 'schemas') });
  });

  for (const recorded of cases) {
    const [, name = '', documentId, text = ''] = route.exec(recorded.request.path.replace(/#.*$/, '')) ?? [];
    if (recorded.request.method !== 'GET' || name === '') continue;
    it(`${recorded.name} ${decodeLoosely(recorded.request.path).slice(0, 150)}`, function () {
      const type = byRoute(schema, name);
      const caller = callers[recorded.auth];
      const answers = [recorded.response, ...Object.values(recorded.alt ?? {})];
      if (!type || !caller || answers.some(({ status }) => status === 401 || status === 403)) this.skip();
      const target = { documentId: documentId ?? null, single: type.kind === 'singleType' };
      const settings = corpusSettings[recorded.server ?? 'default'];
      if (!settings) throw new TypeError(recorded.server);
      const error = refusal(fill(text), type.uid, target, caller, settings);
      const row = decided[recorded.name];
      if (row !== undefined) expect(error?.status, `SPEC 0.4 row ${row}`).equal(400);
      else
        expect(
          answers.some((answer) => same(error, answer)),
          report(error, recorded.response),
        ).equal(true);
    });
  }

  function refusal(
    text: string,
    uid: string,
    target: { documentId: string | null; single: boolean },
    caller: Caller,
    settings: QuerySettings,
  ): ApiError | null {
    const type = schema.contentTypes.get(uid);
    if (!type) throw new TypeError(uid);
    try {
      const node = parseQuery(parseQueryText(text), 'rest');
      planRead(checkQuery(node, type, schema, caller, settings), type, schema, caller, settings, target);
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
});

/** Symbols become values of the right form: which one does not matter before the database is asked. */
const fill = (text: string): string =>
  text
    .replace(/(\{\{|%7B%7B)(doc|mediaDoc|userDoc|role):[^}%]*(\}\}|%7D%7D)/gi, 'abcdefghijklmnopqrstuvwx')
    .replace(/(\{\{|%7B%7B)[^}%]*(\}\}|%7D%7D)/gi, '7');

function same(error: ApiError | null, answer: Recorded): boolean {
  if (answer.status === 500) return error !== null && error.status >= 400;
  if (answer.status === 200 || answer.status === 404) return error === null;
  const expected = answer.body?.error;
  return (
    error !== null &&
    expected !== undefined &&
    error.status === answer.status &&
    error.name === expected.name &&
    words(error.message) === words(expected.message) &&
    JSON.stringify(sorted(error.details)) === JSON.stringify(sorted(expected.details))
  );
}

/** Lists of values in a message may come in any order. */
const words = (message: string): string =>
  message
    .split(/[\s,]+/)
    .sort()
    .join(' ');

const sorted = (details: unknown): unknown =>
  typeof details === 'object' && details !== null ? Object.entries(details).sort() : details;

const report = (error: ApiError | null, { status, body }: Recorded): string =>
  `expected ${status} ${JSON.stringify(body?.error)}, got ${error ? JSON.stringify({ status: error.status, message: error.message, details: error.details }) : 'none'}`;

function decodeLoosely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
