/**
 * What a caller may not see has no effect on what it gets: every query is sent twice, and in between every private
 * value, password and entry of a type without a grant is changed. Responses are compared as strings, so values, totals,
 * order and errors all count (CVE-2023-22894 and related ones: an oracle does not need to return a value).
 */
import { expect } from 'chai';
import { ALL_GRANTS, compileGrants } from '../../src/access/identity/grants.js';
import { ApiError } from '../../src/errors.js';
import { textQuery } from '../../src/query/query.js';
import type { Caller } from '../../src/query/read-plan.js';
import { modelOf } from '../../src/schema/find.js';
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

/** A different value of the same type, and some value where there was none. */
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
    const type = server.project.schema.contentTypes.get(`api::${name}.${name}`);
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

  /** Changes private values; of hidden types, deletes half of the entries and changes the rest. */
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
    const request = { type, query: textQuery(query), caller };
    try {
      const work = type.kind === 'singleType' ? reader.single(request) : reader.list(request);
      const { data, ...rest } = await work;
      return JSON.stringify([data, 'pagination' in rest ? rest.pagination : null]);
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) return JSON.stringify(error.message);
      throw error;
    }
  };

  const everyQuery = (type: ContentType): string[] => {
    const options = { schema: server.project.schema, isHidden };
    // All hidden paths nearby, and a part of those further away: hidden-paths tries every one of them.
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

  it('have no effect on any result, total, order or error of a query; a caller with full access notices the changes', async () => {
    const questions = OPEN.map(typeNamed).flatMap((type) =>
      everyQuery(type).map((query) => ({ type, query })),
    );
    const answersFor = async (caller: Caller, from: typeof questions): Promise<string[]> => {
      const answers: string[] = [];
      for (const { type, query } of from) answers.push(await ask(type, query, caller));
      return answers;
    };
    // Seeing one of them is enough to show that there was something to see.
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
        // A short one may occur in a random documentId by chance: it counts only as a whole string.
        answers.some((answer) => answer.includes(secret.length < 8 ? `"${secret}"` : secret)),
        secret,
      ).to.equal(false);
    }
  });

  it('cannot be searched for, or compared with', async () => {
    for (const name of OPEN) {
      const type = typeNamed(name);
      const nothing = await ask(type, '_q=qqqqqqqq', stranger);
      for (const secret of [...secrets].filter((text) => text.length > 5).slice(0, 20))
        expect(await ask(type, `_q=${encodeURIComponent(secret)}`, stranger), secret).to.equal(nothing);
    }
  });
});
