/** The recorded writes, checked by the validator alone: what Strapi refused, field by field, and what it accepted. */
import { expect } from 'chai';
import { checkInputKeys } from '../../src/documents/validate/input-keys.js';
import { ApiError } from '../../src/errors.js';
import { byRoute } from '../../src/schema/find.js';
import { loadSchema } from '../../src/schema/load.js';
import type { ContentType, Schema } from '../../src/schema/types.js';
import { compileChecker } from './checker.js';
import { at, recordedWrites, type Write } from './recorded-writes.js';

type Entry = Record<string, unknown>;

const fullAccess = { grants: { version: 'all', allows: () => true } };
const withoutUsers = {
  grants: { version: 'some', allows: (action: string) => !action.startsWith('plugin::users-permissions') },
};

/** Errors that require the database. */
const notHere =
  /must be unique|do not exist|not found$|not related to the entity|locale param|^Missing|already exists/;
/** Rules 0.4, row 10: an unlisted component in a zone is refused here. */
const departs = (write: Write): boolean =>
  write.name === 'dynamic-zone-write/no-dp' && JSON.stringify(write.data).includes('blocks.hero');

const isOurs = (write: Write): boolean => {
  const message = String(at(write.error, 'message'));
  const source = at(write.error, 'details', 'source') ?? 'body';
  return source === 'body' && at(write.error, 'name') === 'ValidationError' && !notHere.test(message);
};

const message = (text: unknown): string =>
  String(text).replace(/values: (.*)$/, (_, values: string) => values.split(', ').sort().join());

const summary = (error: unknown): unknown => ({
  message: message(at(error, 'message')),
  place: { key: at(error, 'details', 'key'), path: at(error, 'details', 'path') },
  fields: [at(error, 'details', 'errors')]
    .flat()
    .filter(Boolean)
    .map((field) => `${String(at(field, 'path'))}: ${message(at(field, 'message'))}`)
    .sort(),
});

const typeOf = (schema: Schema, write: Write): ContentType | undefined =>
  schema.contentTypes.get(write.type) ?? byRoute(schema, write.type);

/** Items that update stored ones by id: the values of omitted fields are not known here. */
const namesItems = (data: unknown): boolean => /"id":"\{\{/.test(JSON.stringify(data));

const hash = `$2b$10$${'x'.repeat(53)}`;
const hashPasswords = (type: ContentType, entry: Entry): Entry =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      const attribute = type.attributes.get(name);
      return [
        name,
        attribute?.kind === 'scalar' && attribute.type === 'password' && value !== null ? hash : value,
      ];
    }),
  );

/**
 * What the Document Service will store: the draft and, unless only the draft was requested, the whole entry as
 * published. Null if parts are not known here.
 */
const write = (schema: Schema, type: ContentType, step: Write, entries: Map<string, Entry>): Entry | null => {
  const stored = entries.get(`${step.document}:${step.locale}`);
  const isKnown = [...entries.keys()].some((name) => name.startsWith(`${step.document}:`));
  const validator = compileChecker(schema, type);
  if (step.rest)
    checkInputKeys(step.data, type, schema, step.auth === 'user:amy' ? withoutUsers : fullAccess);
  const isNew = step.action === 'create' || (isKnown && stored === undefined);
  const action = isNew ? 'create' : 'update';
  const mode = type.draftAndPublish ? 'draft' : 'published';
  const checked = validator.check(step.data, { mode, action });
  const entry = hashPasswords(type, { ...stored, ...checked });
  const complete = (isNew || stored !== undefined) && !namesItems(step.data);
  if (type.draftAndPublish && !step.draftOnly && complete)
    validator.check(entry, { mode: 'published', action: 'create' });
  return complete ? entry : null;
};

const outcome = (schema: Schema, type: ContentType, step: Write, entries: Map<string, Entry>): unknown => {
  const names = step.document === null ? step.captured : [step.document];
  try {
    const entry = write(schema, type, step, entries);
    for (const name of names)
      if (entry) entries.set(`${name}:${step.locale}`, entry);
      else entries.delete(`${name}:${step.locale}`);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return summary(error);
  }
};

describe('documents/validate: recorded writes', () => {
  let schema: Schema;
  let compared = 0;

  before(async () => {
    schema = await loadSchema({ folder: 'test/conformance/fixture/schemas' });
  });

  for (const steps of recordedWrites().filter((list) => list.length > 0)) {
    it(String(steps[0]?.name), () => {
      const entries = new Map<string, Entry>();
      for (const step of steps) {
        const type = typeOf(schema, step);
        if (!type) continue;
        const result = outcome(schema, type, step, entries);
        if (departs(step) || (!step.accepted && !isOurs(step))) continue;
        compared += 1;
        expect(result, JSON.stringify(step.data)).to.deep.equal(
          step.accepted ? 'accepted' : summary(step.error),
        );
      }
    });
  }

  it('compares a sufficient number of them', () => {
    expect(compared).to.be.greaterThan(300);
  });
});
