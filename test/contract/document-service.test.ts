/** The recorded calls of the Document Service, made on freshly seeded data; the reads first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../src/errors.js';
import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';
import {
  type Case,
  CONFORMANCE,
  type Difference,
  describeDifference,
  type Matcher,
  type Matchers,
  matchersFor,
  replayer,
} from '../support/replay.js';
import { type Exception, engineOf, exceptionsOn } from './exceptions.js';
import { Tally } from './tally.js';

interface Outcome {
  readonly result?: unknown;
  readonly error?: object;
}

interface Step extends Outcome {
  readonly call: { readonly uid: string; readonly method: string; readonly params: unknown };
  readonly capture?: Readonly<Record<string, string>>;
  readonly alt?: Readonly<Record<string, Outcome>>;
}

interface DocumentCase extends Case {
  readonly steps: readonly Step[];
}

const lines = readFileSync(join(CONFORMANCE, 'public', 'document-service.jsonl'), 'utf8').split('\n');
const all = lines.filter((line) => line !== '').map((line): DocumentCase => JSON.parse(line));
const reads = (of: DocumentCase) => of.steps.every(({ call }) => /^(find|count)/.test(call.method));
const cases = [...all.filter(reads), ...all.filter((of) => !reads(of))];

const asJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

const errorOf = (error: unknown): object => {
  if (!(error instanceof Error)) throw error;
  const details = error instanceof ApiError ? (error.details ?? {}) : {};
  return { name: error.name, message: error.message, details: asJson(details) };
};

const compare = (matcher: Matcher, expected: Outcome, got: Outcome): Difference | null => {
  const wrapped = (error: object) => ({ data: null, error: { ...error, status: 0 } });
  if (expected.error)
    return got.error
      ? matcher.error(wrapped(expected.error), wrapped(got.error))
      : { at: 'error', expected: expected.error, got: got.result };
  if (got.error) return { at: 'result', expected: expected.result, got: got.error };
  return matcher.value(expected.result, got.result, 'result');
};

describe('conformance: Document Service', function () {
  this.timeout(180_000);
  const tally = new Tally();
  let server: ConformanceServer;
  let matchers: Matchers;
  let excepted: Readonly<Record<string, Exception>>;

  before(async function () {
    this.timeout(180_000);
    server = await startConformanceServer('default');
    excepted = exceptionsOn(await engineOf(server.project.store));
    matchers = matchersFor(server.map);
  });
  after(async () => {
    await server?.close();
    tally.print();
  });

  const call = async ({ uid, method }: Step['call'], params: unknown): Promise<Outcome> => {
    const service = server.project.documents(uid);
    const called = service[method as keyof typeof service] as
      | ((params: unknown) => Promise<unknown>)
      | undefined;
    try {
      if (!called) throw new TypeError(`${method} is not available for ${uid}`);
      return { result: asJson(await called(params)) };
    } catch (error) {
      return { error: errorOf(error) };
    }
  };

  /** Null if one of the recordings agrees; a recording without a result of its own is skipped. */
  const judge = (step: Step, got: Outcome): Difference | null => {
    let first: Difference | null = null;
    for (const [database, matcher] of matchers) {
      const expected = database === 'sqlite' ? step : step.alt?.[database];
      if (!expected) continue;
      const difference = matcher.attempt(() => compare(matcher, expected, got));
      if (!difference) return null;
      first ??= difference;
    }
    return first;
  };

  const run = async ({ steps }: DocumentCase): Promise<Difference | null> => {
    const captured: Record<string, unknown> = {};
    let first: Difference | null = null;
    for (const [at, step] of steps.entries()) {
      const params = replayer.makeExpander(server.map, captured)(step.call.params);
      const got = await call(step.call, params);
      for (const [name, path] of Object.entries(step.capture ?? {})) captured[name] = replayer.dig(got, path);
      const difference = judge(step, got);
      const where = { step: `step ${at + 1}: `, request: `${step.call.method} ${step.call.uid}` };
      if (difference) first ??= { ...where, ...difference };
    }
    return first;
  };

  for (const recorded of cases)
    it(recorded.name, async () => {
      const difference = await run(recorded);
      const exception = excepted[recorded.name];
      tally.count('document-service', difference === null, exception !== undefined);
      if (exception && difference === null)
        throw new Error('agrees with Strapi now: remove it from exceptions.json');
      if (!exception && difference) throw new Error(describeDifference(difference));
    });
});
