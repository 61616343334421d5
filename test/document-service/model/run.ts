/** A sequence of calls on an empty database: after each call, everything is read and compared with the model. */
import { expect } from 'chai';
import { ApiError } from '../../../src/errors.js';
import { collectionName } from '../../../src/schema/stored/collections.js';
import type { Schema } from '../../../src/schema/types.js';
import type { TestDocuments } from '../../support/documents.js';
import { callOf } from './calls.js';
import { beginning, type Command } from './commands.js';
import { apply, type Call } from './model.js';
import { type Refusal, Refused } from './refusal.js';
import { expectedAll, expectedRow, learnIds, readAll, shownRow } from './seen.js';
import { type TypeName, uidOf } from './shape.js';
import { DEFAULT_LOCALE, emptyState, readStatus, type State } from './state.js';

const STATUSES = ['draft', 'published'] as const;

type Shown = Record<string, unknown>;
type Outcome =
  | { readonly refusal: Refusal }
  | { readonly entries: readonly Shown[] | null; readonly documentId: string };

export type Run = (commands: readonly Command[]) => Promise<void>;

export function runner(opened: TestDocuments, schema: Schema): Run {
  const clear = async (): Promise<void> => {
    for (const type of schema.contentTypes.values())
      if (type.uid.startsWith('api::'))
        for (const status of ['draft', 'published'] as const)
          await opened.store.db.collection(collectionName(type, status)).deleteMany({});
  };

  const make = async ({ type, method, params }: Call): Promise<Outcome> => {
    const service = opened.documents(uidOf(type));
    const called = service[method] as (params: object) => Promise<unknown>;
    try {
      const answer = (await called.call(service, params)) as Shown | null;
      if (answer === null) return { entries: null, documentId: '' };
      const entries = (answer['entries'] as readonly Shown[] | undefined) ?? [answer];
      return { entries, documentId: String(answer['documentId']) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { refusal: { name: error.name, message: error.message } };
    }
  };

  /** The state after a call, and the result that it must have returned. */
  const afterCall = (state: State, call: Call, outcome: Outcome): State => {
    const next = structuredClone(state);
    try {
      const answer = apply(next, call, 'documentId' in outcome ? outcome.documentId : 'new');
      if ('refusal' in outcome) expect.fail(`refused: ${outcome.refusal.message}`);
      const expected = answer?.map(({ doc, locale, status }) => `${doc} ${locale} ${status}`).sort() ?? null;
      const shown =
        outcome.entries
          ?.map(
            ({ documentId, locale, publishedAt }) =>
              `${documentId} ${locale ?? null} ${publishedAt === null ? 'draft' : 'published'}`,
          )
          .sort() ?? null;
      expect(shown, 'answer').to.deep.equal(expected);
      return next;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!('refusal' in outcome)) expect.fail(`not refused: ${error.message}`);
      if (
        !error.refusals.some(
          ({ name, message }) => name === outcome.refusal.name && message === outcome.refusal.message,
        )
      )
        expect.fail(`refused ${JSON.stringify(outcome.refusal)}, not ${JSON.stringify(error.refusals)}`);
      return state;
    }
  };

  /** Without a locale, the default one is counted. */
  const countsOf = (type: TypeName): Promise<number[]> =>
    Promise.all(STATUSES.map((status) => opened.documents(uidOf(type)).count({ status })));
  const wantedCounts = ({ rows }: State, type: TypeName): number[] =>
    STATUSES.map(
      (status) =>
        rows.filter(
          (row) =>
            row.type === type &&
            row.status === readStatus(type, status) &&
            (row.locale ?? DEFAULT_LOCALE) === DEFAULT_LOCALE,
        ).length,
    );

  const compare = async (state: State, usedItems: Set<string>): Promise<void> => {
    const seen = await readAll(opened.documents);
    const wanted = expectedAll(state);
    expect([...seen.keys()].sort(), 'versions').to.deep.equal([...wanted.keys()].sort());
    for (const [key, { row, status }] of wanted) {
      const shown = seen.get(key) ?? {};
      const expected = expectedRow(state, row, status);
      for (const [name, value] of Object.entries(shownRow(row.type, shown)))
        if (JSON.stringify(value) !== JSON.stringify(expected[name]))
          expect.fail(`${key}: ${name} is\n${JSON.stringify(value)}, not\n${JSON.stringify(expected[name])}`);
      expect(learnIds(row, shown, usedItems), `${key}: ids`).to.deep.equal([]);
    }
  };

  return async (commands) => {
    await clear();
    let state = emptyState();
    const usedItems = new Set<string>();
    const log: string[] = [];
    const step = async (each: Command): Promise<void> => {
      const call = callOf(state, each);
      log.push(`${call.type} ${call.method} ${JSON.stringify(call.params)}`);
      state = afterCall(state, call, await make(call));
    };
    try {
      for (const each of beginning) await step(each);
      await compare(state, usedItems);
      for (const each of commands) {
        await step(each);
        await compare(state, usedItems);
        expect(await countsOf(each.type), `count of ${each.type}`).to.deep.equal(
          wantedCounts(state, each.type),
        );
      }
    } catch (error) {
      if (error instanceof Error) error.message += `\nafter\n${log.slice(beginning.length).join('\n')}`;
      throw error;
    }
  };
}
