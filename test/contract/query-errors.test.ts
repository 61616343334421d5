/**
 * Every recorded GET of a content type, replayed on the pure part of a read: text → AST → check → plan. Where Strapi
 * refused, the same error is expected; where it answered, none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import type { RawObject } from '../../src/query/ast.js';
import { checkQuery } from '../../src/query/check.js';
import { parseQuery, parseQueryText } from '../../src/query/parse.js';
import { planRead, type ReadTarget } from '../../src/query/plan.js';
import type { Caller } from '../../src/query/read-plan.js';
import type { QueryScope } from '../../src/query/settings.js';
import { byRoute } from '../../src/schema/find.js';
import { loadSchema } from '../../src/schema/load.js';
import type { ContentType, Schema } from '../../src/schema/types.js';
import { callers, corpusFolder, corpusSettings, serviceSettings } from '../support/corpus/query.js';
import { exceptionsOn } from './exceptions.js';

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

/** Deliberate differences; here, cases that are refused although Strapi ignores a filter (rules 0.4, row 4). */
const decided = exceptionsOn('mongodb');

const readCases = (...path: string[]): readonly string[] =>
  readFileSync(join(corpusFolder, 'public', ...path), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

const schema: Schema = await loadSchema({ folder: join(corpusFolder, 'fixture', 'schemas') });

const cases = readdirSync(join(corpusFolder, 'public', 'read'))
  .flatMap((file) => readCases('read', file))
  .map((line): Case => JSON.parse(line));

/** The router handles broken percent escapes in the path (rules A.1). */
const route = /^\/api\/([a-z]+)(?:\/((?!%zz)[^/?]+))?\/?(?:\?(.*))?$/;

/** Authentication and grants are not checked by the query. */
const refusedElsewhere = new Set([401, 403]);

describe('recorded queries', () => {
  for (const recorded of cases) {
    const { request, auth, server = 'default' } = recorded;
    const [, name = '', documentId, text = ''] = route.exec(request.path.replace(/#.*$/, '')) ?? [];
    const type = byRoute(schema, name);
    const caller = callers[auth];
    const settings = corpusSettings[server];
    const answers = [recorded.response, ...Object.values(recorded.alt ?? {})];
    if (request.method !== 'GET' || !type || !caller || !settings) continue;
    if (answers.some(({ status }) => refusedElsewhere.has(status))) continue;
    it(`${recorded.name} ${decodeLoosely(request.path).slice(0, 150)}`, () => {
      const target = type.kind === 'singleType' ? 'single' : documentId === undefined ? 'list' : 'one';
      const scope = { schema, caller, settings };
      const error = refusal(() => parseQueryText(fill(text)), type, target, scope);
      if (answers.some((answer) => same(error, answer))) return;
      expect(decided[recorded.name]?.row, report(error, recorded.response)).equal(4);
      expect(error?.status).equal(400);
    });
  }
});

interface Step {
  readonly call: { readonly uid: string; readonly method: string; readonly params: RawObject };
  readonly error?: Omit<RecordedError, 'status'>;
}

const reads = new Set(['findMany', 'findFirst', 'findOne', 'count']);
const trusted: Caller = { grants: null };

describe('recorded reads of the Document Service', () => {
  for (const line of readCases('document-service.jsonl')) {
    const { name, steps }: { name: string; steps: readonly Step[] } = JSON.parse(line);
    for (const [index, { call, error: expected }] of steps.entries()) {
      const type = schema.contentTypes.get(call.uid);
      const settings = serviceSettings['default'];
      if (!reads.has(call.method) || !type || !settings) continue;
      it(`${name} ${index} ${call.method} ${JSON.stringify(call.params).slice(0, 150)}`, () => {
        const { documentId } = call.params;
        const alone = call.method === 'findFirst' ? 'single' : 'list';
        const target = typeof documentId === 'string' ? 'one' : alone;
        const error = refusal(() => call.params, type, target, { schema, caller: trusted, settings });
        const answer: Recorded = expected
          ? { status: 400, body: { error: { status: 400, ...expected } } }
          : { status: 200 };
        expect(same(error, answer), report(error, answer)).equal(true);
      });
    }
  }
});

function refusal(
  read: () => RawObject,
  type: ContentType,
  target: ReadTarget,
  scope: QueryScope,
): ApiError | null {
  try {
    const node = parseQuery(read(), scope.settings.mode);
    planRead(checkQuery(node, type, scope), type, scope, { target });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Replaces symbols with values of the right form: which one does not matter before the database is queried. */
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

/** Lists of values in a message may be in any order. */
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
