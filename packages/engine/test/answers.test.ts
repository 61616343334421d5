import { type Document, EJSON } from 'bson';
import type { Collection } from 'mongodb';
import type { Update, UpdateOptions } from '../src/update/index.js';
import { holdRows, type Row, refusal } from './hold-rows.js';
import { openEngine, type TestEngine } from './support/engine.js';
import * as commands from './tables/commands.js';
import * as expressions from './tables/expressions.js';
import * as filters from './tables/filters.js';
import * as projections from './tables/projections.js';
import { REFUSED as REFUSED_STAGES } from './tables/refused-stages.js';
import { COLLECTIONS } from './tables/stage-collections.js';
import { TABLE as STAGES } from './tables/stages.js';
import * as updates from './tables/updates.js';

/** A string with the types of the values, and one without. */
const typed = (value: unknown): string => EJSON.stringify({ value }, { relaxed: false });
const plain = (value: unknown): string => JSON.stringify(EJSON.parse(EJSON.stringify({ value })));

describe('embedded engine: results through the driver', () => {
  let engine: TestEngine;
  let c: Collection<Document>;
  before(async () => {
    engine = await openEngine({ promoteValues: false, promoteLongs: false });
    c = engine.db.collection('one');
    for (const [name, documents] of Object.entries(COLLECTIONS))
      await engine.db.collection(name).insertMany(documents.map((document): Document => ({ ...document })));
  });
  after(() => engine.close());

  const only = async (document: Document): Promise<void> => {
    await c.deleteMany({});
    await c.insertOne({ _id: 0 as never, ...document });
  };
  const table = (title: string, rows: readonly Row[], prepare?: Document): void => {
    it(title, async () => {
      if (prepare !== undefined) await only(prepare);
      await holdRows(rows);
    });
  };

  const evaluate = async (expression: unknown): Promise<string> => {
    const [row] = await c.aggregate([{ $replaceWith: { value: expression } }]).toArray();
    return typed(row?.['value']);
  };
  for (const [title, rows] of Object.entries(expressions.TABLE)) {
    const inputs = rows.map(([expression, value]) => ({
      input: expression,
      wanted: typed(value === expressions.MISSING ? undefined : value),
      ask: () => evaluate(expression),
    }));
    table(`expressions: ${title}`, inputs, expressions.ROOT);
  }
  table(
    'expressions that are rejected',
    expressions.REFUSED.map(([input, code]) => ({
      input,
      wanted: refusal(code),
      ask: () => evaluate(input),
    })),
    expressions.ROOT,
  );

  const matches = async (filter: Document, document: Document): Promise<string> => {
    await only(document);
    return String((await c.find(filter).toArray()).length === 1);
  };
  for (const [title, rows] of Object.entries(filters.TABLE)) {
    const inputs = rows.map(([filter, document, expected]) => ({
      input: [filter, document],
      wanted: String(expected),
      ask: () => matches(filter, document),
    }));
    table(`filters: ${title}`, inputs);
  }
  table(
    'filters that are rejected',
    filters.REFUSED.map(([input, code]) => ({
      input,
      wanted: refusal(code),
      ask: () => matches(input, { a: 1 }),
    })),
  );

  const shown = async (projection: Document, filter: Document): Promise<string> =>
    typed(await c.find(filter, { projection }).toArray());
  table(
    'projections',
    projections.TABLE.map(([projection, expected, filter = {}]) => ({
      input: projection,
      wanted: typed([expected]),
      ask: () => shown(projection, filter),
    })),
    projections.DOCUMENT,
  );
  table(
    'projections that are rejected',
    projections.REFUSED.map(([input, code]) => ({
      input,
      wanted: refusal(code),
      ask: () => shown(input, {}),
    })),
    projections.DOCUMENT,
  );

  const aggregate = async (name: string, pipeline: readonly Document[]): Promise<string> =>
    plain(
      await engine.db
        .collection(name)
        .aggregate([...pipeline])
        .toArray(),
    );
  for (const [title, collection, pipeline, expected] of STAGES)
    table(`stages: ${title}`, [
      { input: pipeline, wanted: plain(expected), ask: () => aggregate(collection, pipeline) },
    ]);
  table(
    'stages that are rejected',
    REFUSED_STAGES.map(([input, code]) => ({
      input,
      wanted: refusal(code),
      ask: () => aggregate('numbers', input),
    })),
  );

  const answered = async (
    documents: readonly Document[],
    command: Document,
    part: (reply: Document) => unknown,
  ): Promise<string> => {
    await c.deleteMany({});
    await c.insertMany(documents.map((document) => ({ ...document })));
    return plain(part(await engine.db.command(command)));
  };
  for (const [title, documents, command, part, wanted] of commands.TABLE)
    table(`commands: ${title}`, [
      { input: command, wanted: plain(wanted), ask: () => answered(documents, command, part) },
    ]);
  table(
    'commands that are rejected',
    commands.REFUSED.map(([document, command, code]) => ({
      input: command,
      wanted: refusal(code),
      ask: () => answered([document], command, () => 'done'),
    })),
  );

  const updated = async (
    document: Document,
    update: Update,
    options: UpdateOptions = {},
  ): Promise<string> => {
    await only(document);
    const { filter = {}, arrayFilters } = options;
    const statement = { q: filter, u: update, ...(arrayFilters ? { arrayFilters } : {}) };
    const reply = await engine.db.command({ update: 'one', updates: [statement] });
    const [refused] = reply['writeErrors'] ?? [];
    if (refused !== undefined) return refusal(Number(refused.code));
    return typed(await c.findOne());
  };
  for (const [title, document, update, after, options] of updates.TABLE)
    table(`updates: ${title}`, [
      {
        input: [document, update],
        wanted: typed({ _id: 0, ...after }),
        ask: () => updated(document, update, options),
      },
    ]);
  table(
    'updates that are rejected',
    updates.REFUSED.map(([document, update, code, options]) => ({
      input: [document, update],
      wanted: refusal(code),
      ask: () => updated(document, update, options),
    })),
  );
});
