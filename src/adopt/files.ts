/** Merges proposed types into the existing schema files: manual edits stay, and only new fields are added. */
import { attributesIn } from '../schema/files/raw.js';
import { dbRefPath } from '../schema/stored/paths.js';
import { isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import type { Proposal, ProposedType } from './propose.js';
import { referredIn } from './seen.js';

/** By path in the folder of the schemas. */
type Files = ReadonlyMap<string, PlainObject>;

/** Paths of schema files: in `content-types/` of a Mangrove project, or `src/` of a Strapi project. */
export interface FileLayout {
  readonly type: (singular: string) => string;
  readonly component: (uid: string) => string;
}

export const OWN_LAYOUT: FileLayout = {
  type: (singular) => `content-types/${singular}/schema.json`,
  component: (uid) => `content-types/components/${uid.replace('.', '/')}.json`,
};

export const STRAPI_LAYOUT: FileLayout = {
  type: (singular) => `src/api/${singular}/content-types/${singular}/schema.json`,
  component: (uid) => `src/components/${uid.replace('.', '/')}.json`,
};

interface Planned {
  readonly path: string;
  readonly content: PlainObject;
  /** False if the file exists and is changed. */
  readonly isNew: boolean;
}

/** The files to write, and one line for each change to an existing file. */
export interface Plan {
  readonly files: readonly Planned[];
  readonly changes: readonly string[];
}

export function planProposal(proposal: Proposal, layout: FileLayout, present: Files): Plan {
  const files: Planned[] = [];
  const changes: string[] = [];
  const plan = (path: string, content: PlainObject): void => {
    const before = present.get(path);
    if (!before || JSON.stringify(before) !== JSON.stringify(content))
      files.push({ path, content, isNew: !before });
  };
  for (const type of withOwnedInverses(proposal.types, (name) => present.get(layout.type(name)))) {
    const path = layout.type(type.name.singular);
    const before = present.get(path);
    if (before) changes.push(...changesOf(type, before));
    const content = before ? merged(type, before) : type.schema;
    plan(path, content);
    const componentOf = (uid: string): PlainObject | null => {
      const component = type.components.get(uid);
      const there = present.get(layout.component(uid));
      return component && there ? mergedComponent(component, there, type, before) : (component ?? null);
    };
    for (const [uid, component] of usedComponents(content, componentOf))
      plan(layout.component(uid), component);
  }
  return { files, changes };
}

/** The components that a type uses, directly or inside others. */
function usedComponents(
  content: PlainObject,
  componentOf: (uid: string) => PlainObject | null,
  found: Map<string, PlainObject> = new Map(),
): ReadonlyMap<string, PlainObject> {
  for (const attribute of Object.values(attributesIn(content))) {
    const uid = isPlainObject(attribute) ? attribute['component'] : undefined;
    const component = typeof uid === 'string' && !found.has(uid) ? componentOf(uid) : null;
    if (component) usedComponents(component, componentOf, found.set(String(uid), component));
  }
  return found;
}

/** The types with only those other sides of relations whose stored side is in the files, or is now added to them. */
function withOwnedInverses(
  types: readonly ProposedType[],
  fileOf: (name: string) => PlainObject | undefined,
): readonly ProposedType[] {
  const added = new Map(
    types.map((type) => {
      const before = fileOf(type.name.singular);
      return [
        type.uid,
        new Set(Object.keys(before ? addedTo(type, before).added : attributesIn(type.schema))),
      ];
    }),
  );
  const present = new Map(types.map(({ uid, name }) => [uid, attributesIn(fileOf(name.singular) ?? {})]));
  return types.map((type) => {
    const isNew = fileOf(type.name.singular) === undefined;
    const isOwned = (attribute: unknown): boolean => {
      if (!isInverse(attribute)) return true;
      const [target, name] = [String(attribute['target']), String(attribute['mappedBy'])];
      return added.get(target)?.has(name) === true || (isNew && name in (present.get(target) ?? {}));
    };
    const attributes = Object.entries(attributesIn(type.schema)).filter(([, each]) => isOwned(each));
    return { ...type, schema: { ...type.schema, attributes: Object.fromEntries(attributes) } };
  });
}

const isRelation = (attribute: unknown): boolean =>
  isPlainObject(attribute) && attribute['type'] === 'relation';

const isInverse = (attribute: unknown): attribute is PlainObject =>
  isPlainObject(attribute) && attribute['mappedBy'] !== undefined;

const mangroveOf = (content: PlainObject): PlainObject => objectAt(content, 'pluginOptions', 'mangrove');
const storageOf = (content: PlainObject): PlainObject => objectAt(mangroveOf(content), 'storage');
const seenIn = (content: PlainObject): PlainObject => objectAt(mangroveOf(content), 'seen');

function changesOf({ uid, schema }: ProposedType, before: PlainObject): readonly string[] {
  const [then, now] = [seenIn(before), seenIn(schema)];
  return [
    ...Object.entries(now).flatMap(([path, kinds]) => {
      if (!(path in then)) return [`${uid}: ${path} is new (${String(kinds)})`];
      return then[path] === kinds
        ? []
        : [`${uid}: ${path} was ${String(then[path])} and is ${String(kinds)}`];
    }),
    ...Object.keys(then)
      .filter((path) => !(path in now))
      .map((path) => `${uid}: ${path} no longer exists`),
  ];
}

/** What an earlier run knew of the paths. */
interface Known {
  /** Whether the path was seen. */
  readonly has: (path: string) => boolean;
  /** Whether its values have been found to refer to a collection only now. */
  readonly refersAnew: (path: string) => boolean;
}

/**
 * @param suffixes whether the paths are those of a component, whose fields may occur at several paths of a document
 */
function knownOf({ schema }: ProposedType, before: PlainObject | undefined, suffixes: boolean): Known {
  const [then, now] = [seenIn(before ?? {}), seenIn(schema)];
  const anew = Object.keys(now).filter((path) =>
    referredIn(now[path]).some((each) => path in then && !referredIn(then[path]).includes(each)),
  );
  const among = (paths: readonly string[]) => (path: string) =>
    suffixes ? paths.some((each) => each.endsWith(`.${path}`)) : paths.includes(path);
  return { has: among(Object.keys(then)), refersAnew: among(anew) };
}

const addedTo = (type: ProposedType, before: PlainObject): Added =>
  addNew(type.schema, before, knownOf(type, before, false));

/** The existing file with attributes for fields that are new since the last run. */
function merged(type: ProposedType, before: PlainObject): PlainObject {
  const { added, storage } = addedTo(type, before);
  const mangrove = { ...mangroveOf(before), storage, seen: seenIn(type.schema) };
  return {
    ...before,
    pluginOptions: { ...objectAt(before, 'pluginOptions'), mangrove },
    attributes: { ...attributesIn(before), ...added },
  };
}

function mergedComponent(
  component: PlainObject,
  there: PlainObject,
  type: ProposedType,
  before: PlainObject | undefined,
): PlainObject {
  const next = addNew(component, there, knownOf(type, before, true));
  if (Object.keys(next.added).length === 0) return there;
  const options = objectAt(there, 'pluginOptions');
  return {
    ...there,
    pluginOptions: { ...options, mangrove: { ...mangroveOf(there), storage: next.storage } },
    attributes: { ...attributesIn(there), ...next.added },
  };
}

interface Added {
  readonly added: PlainObject;
  readonly storage: PlainObject;
}

function addNew(proposed: PlainObject, before: PlainObject, known: Known): Added {
  const [now, then] = [storageOf(proposed), storageOf(before)];
  const part = (content: PlainObject, key: string): PlainObject => objectAt(storageOf(content), key);
  const pathIn = (content: PlainObject, name: string): string => {
    const path = String(part(content, 'fields')[name] ?? name);
    return dbRefPath(path) ?? path;
  };
  const present = Object.entries(attributesIn(before));
  const placed = new Set(present.map(([name]) => pathIn(before, name)));
  const related = new Set(
    present.filter(([, each]) => isRelation(each)).map(([name]) => pathIn(before, name)),
  );
  const isKnown = (name: string, attribute: unknown): boolean => {
    const path = pathIn(proposed, name);
    if (name in attributesIn(before)) return true;
    if (isInverse(attribute)) return false;
    if (isRelation(attribute) && known.refersAnew(path)) return related.has(path);
    return placed.has(path) || known.has(path);
  };
  const added = Object.fromEntries(
    Object.entries(attributesIn(proposed)).filter(([name, attribute]) => !isKnown(name, attribute)),
  );
  const names = new Set(Object.keys(added));
  const only = (key: string): PlainObject =>
    Object.fromEntries(Object.entries(part(proposed, key)).filter(([name]) => names.has(name)));
  const joined = (key: 'fields' | 'references' | 'integers'): PlainObject => {
    const both = { ...part(before, key), ...only(key) };
    return Object.keys(both).length > 0 ? { [key]: both } : {};
  };
  const listed = (key: 'lists' | 'texts'): PlainObject => {
    const own = ({ [key]: list }: PlainObject): readonly unknown[] => (Array.isArray(list) ? list : []);
    const both = [...own(then), ...own(now).filter((name) => names.has(String(name)))];
    return both.length > 0 ? { [key]: both } : {};
  };
  return {
    added,
    storage: {
      ...then,
      ...joined('fields'),
      ...joined('references'),
      ...joined('integers'),
      ...listed('lists'),
      ...listed('texts'),
    },
  };
}
