/**
 * What a caller may not see changes nothing that it gets: every query is asked twice, and in between every private value, password
 * and entry of a type that is not granted is changed. Answers are compared as text, so values, totals, order, and refusals all count
 * (CVE-2023-22894 and its kin: an oracle needs no value in the answer).
 */
import { expect } from 'chai';
import { ALL_GRANTS, compileGrants } from '../../src/access/identity/grants.js';
import { ApiError } from '../../src/errors.js';
import { textQuery } from '../../src/query/query.js';
import type { Caller } from '../../src/query/read-plan.js';
import { contentTypeOf, modelOf } from '../../src/schema/find.js';
import type { Attribute, ContentType, Model } from '../../src/schema/types.js';
import { collectionName } from '../../src/store/connection/collections.js';
import { hiddenFrom, pathsFrom, queriesFor, zoneQueries } from '../support/attribute-paths.js';
import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';

const OPEN = ['restaurant', 'category', 'article', 'review', 'homepage', 'notice'];
const CLOSED = ['person', 'chef', 'memo', 'setting'];
const grants = compileGrants(
  [...OPEN.map((name) => `api::${name}.${name}`)].flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]),
);
const isHidden = hiddenFrom(grants);
const stranger: Caller = { grants, anonymous: true };
const owner: Caller = { grants: ALL_GRANTS };

type Row = Record<string, unknown>;
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** Another value of the same kind, and something where there was nothing. */
const other = (attribute: Attribute, value: unknown): unknown => {
  if (attribute.kind === 'relation') return attribute.many ? [] : null;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'string' ? `zz ${value.split('').reverse().join('')}` : 'aaa';
};

describe('security: hidden values', function () {
  this.timeout(300_000);
  let server: ConformanceServer;
  const secrets = new Set<string>();
  before(async () => {
    server = await startConformanceServer('default');
  });
  after(() => server.close());

  const typeNamed = (name: string): ContentType => {
    const type = contentTypeOf(server.project.schema, `api::${name}.${name}`);
    if (!type) throw new Error(name);
    return type;
  };

  /** Changes what is hidden in a stored entry and its components, in place. */
  const disguise = (model: Model, row: Row): void => {
    for (const attribute of model.attributes.values()) {
      const { name } = attribute;
      const value = row[name];
      if (attribute.kind === 'component' || attribute.kind === 'zone')
        for (const item of [value].flat().filter(isRow)) {
          const uid = attribute.kind === 'component' ? attribute.component : String(item['__component']);
          const inner = modelOf(server.project.schema, uid);
          if (inner) disguise(inner, item);
        }
      else if (isHidden(attribute) && !attribute.system) {
        if (typeof value === 'string' && attribute.kind === 'scalar') secrets.add(value);
        if (value !== undefined || attribute.kind === 'scalar') row[name] = other(attribute, value);
      }
    }
  };

  /** Private values become others, and of closed types half of the entries go and the rest say something else. */
  const changeWhatIsHidden = async (): Promise<number> => {
    const { db } = server.project.store;
    let changed = 0;
    for (const name of [...OPEN, ...CLOSED]) {
      const type = typeNamed(name);
      for (const collection of new Set([collectionName(type, 'published'), collectionName(type, 'draft')])) {
        const rows = await db.collection(collection).find().toArray();
        for (const [at, row] of rows.entries()) {
          if (CLOSED.includes(name) && at % 2 === 0) {
            await db.collection(collection).deleteOne({ _id: row._id });
            continue;
          }
          const before = JSON.stringify(row);
          disguise(type, row);
          if (CLOSED.includes(name))
            for (const key of ['name', 'title', 'firstName', 'email'])
              if (key in row) row[key] = `zz ${row[key]}`;
          if (JSON.stringify(row) !== before) changed += 1;
          await db.collection(collection).replaceOne({ _id: row._id }, row);
        }
      }
    }
    return changed;
  };

  const ask = async (type: ContentType, query: string, caller: Caller): Promise<string> => {
    const { reader } = server.project;
    const asked = { type, query: textQuery(query), caller };
    try {
      const work = type.kind === 'singleType' ? reader.single(asked) : reader.list(asked);
      const { data, ...rest } = await work;
      return JSON.stringify([data, 'pagination' in rest ? rest.pagination : null]);
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) return JSON.stringify(error.message);
      throw error;
    }
  };

  const everyQuery = (type: ContentType): string[] => {
    const options = { schema: server.project.schema, isHidden };
    // All that is near, and of what is hidden further away a part: every one of those is tried in hidden-paths.
    const near = pathsFrom(type, { ...options, steps: 2 }).filter(({ hidden }, at) => hidden || at % 8 === 0);
    const far = pathsFrom(type, { ...options, steps: 3 }).filter(
      ({ hidden, names }) => hidden && names.length > 2,
    );
    const paths = [...near, ...far.filter((_, at) => at % 25 === 0)];
    const named = paths.flatMap(({ names }) => queriesFor(names));
    const zoned = zoneQueries(type, { ...options, steps: 2 }).filter((_, at) => at % 15 === 0);
    const words = ['a', 'zz', '$2', 'scrypt', 'the', 'note'].map((word) => `_q=${word}`);
    const all = [
      '',
      'populate=*',
      'fields=*',
      'populate[localizations][populate]=*',
      'populate=*&status=draft',
    ];
    return [...new Set([...named, ...zoned, ...words, ...all])];
  };

  it('change no answer, total, order or refusal of any query; an all-seeing caller notices them', async () => {
    const questions = OPEN.map(typeNamed).flatMap((type) =>
      everyQuery(type).map((query) => ({ type, query })),
    );
    const answersFor = async (caller: Caller, from: typeof questions): Promise<string[]> => {
      const answers: string[] = [];
      for (const { type, query } of from) answers.push(await ask(type, query, caller));
      return answers;
    };
    // One in some of all is enough to see that there is something to see.
    const some = questions.filter((_, at) => at % 7 === 0);
    const before = await answersFor(stranger, questions);
    const seen = await answersFor(owner, some);
    expect(await changeWhatIsHidden()).to.be.above(20);
    const after = await answersFor(stranger, questions);
    const noticed = (await answersFor(owner, some)).filter((answer, at) => answer !== seen[at]);

    const differing = questions
      .filter((_, at) => before[at] !== after[at])
      .map(({ type, query }) => `${type.uid} ${query}`);
    expect(differing.slice(0, 10)).to.deep.equal([]);
    expect(before.filter((answer) => answer.startsWith('['))).to.have.length.above(400);
    expect(noticed.length).to.be.above(10);
    const answers = [...new Set(before)];
    for (const secret of secrets) {
      if (secret.length < 4) continue;
      expect(
        // A short one may stand in a random documentId by chance: it counts as a whole text only.
        answers.some((answer) => answer.includes(secret.length < 8 ? `"${secret}"` : secret)),
        secret,
      ).to.equal(false);
    }
  });

  it('are no words to search for, nor to compare with', async () => {
    for (const name of OPEN) {
      const type = typeNamed(name);
      const nothing = await ask(type, '_q=qqqqqqqq', stranger);
      for (const secret of [...secrets].filter((text) => text.length > 5).slice(0, 20))
        expect(await ask(type, `_q=${encodeURIComponent(secret)}`, stranger), secret).to.equal(nothing);
    }
  });
});
