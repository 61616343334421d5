/** Merges proposed types into the existing schema files: manual edits stay, and only new fields are added. */
import { attributesIn } from '../schema/files/raw.js';
import { isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import type { Proposal, ProposedType } from './propose.js';

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
  for (const type of proposal.types) {
    const path = layout.type(type.name.singular);
    const before = present.get(path);
    if (before) changes.push(...changesOf(type, before));
    const added = new Set<string>();
    const content = before ? merged(type, before, added) : type.schema;
    if (!before || JSON.stringify(before) !== JSON.stringify(content))
      files.push({ path, content, isNew: !before });
    for (const [uid, component] of type.components) {
      const place = layout.component(uid);
      const there = present.get(place);
      const kept = there ? mergedComponent(component, there, seenBefore(before)) : component;
      if (!there && before && !added.has(uid) && !usesNew(type, uid, added)) continue;
      if (!there || JSON.stringify(there) !== JSON.stringify(kept))
        files.push({ path: place, content: kept, isNew: !there });
    }
  }
  return { files, changes };
}

/** Whether a new component belongs to an attribute that is added. */
const usesNew = ({ components }: ProposedType, uid: string, added: ReadonlySet<string>): boolean =>
  [...added].some((each) =>
    Object.values(attributesIn(components.get(each) ?? {})).some(
      (attribute) => isPlainObject(attribute) && attribute['component'] === uid,
    ),
  );

const mangroveOf = (content: PlainObject): PlainObject => objectAt(content, 'pluginOptions', 'mangrove');
const storageOf = (content: PlainObject): PlainObject => objectAt(mangroveOf(content), 'storage');
const seenIn = (content: PlainObject): PlainObject => objectAt(mangroveOf(content), 'seen');

const seenBefore = (content: PlainObject | undefined): ReadonlySet<string> =>
  new Set(Object.keys(content ? seenIn(content) : {}));

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

/** The existing file with attributes for fields that are new since the last run. */
function merged({ schema }: ProposedType, before: PlainObject, components: Set<string>): PlainObject {
  const options = objectAt(before, 'pluginOptions');
  const next = addNew(schema, before, seenBefore(before), '');
  for (const attribute of Object.values(next.added))
    if (isPlainObject(attribute) && typeof attribute['component'] === 'string')
      components.add(attribute['component']);
  return {
    ...before,
    pluginOptions: {
      ...options,
      mangrove: { ...mangroveOf(before), storage: next.storage, seen: seenIn(schema) },
    },
    attributes: { ...attributesIn(before), ...next.added },
  };
}

function mergedComponent(component: PlainObject, there: PlainObject, seen: ReadonlySet<string>): PlainObject {
  const next = addNew(component, there, seen, null);
  if (Object.keys(next.added).length === 0) return there;
  const options = objectAt(there, 'pluginOptions');
  return {
    ...there,
    pluginOptions: { ...options, mangrove: { ...mangroveOf(there), storage: next.storage } },
    attributes: { ...attributesIn(there), ...next.added },
  };
}

/**
 * @param prefix the path of the fields in the document; null for a component, whose fields may occur at
 * several paths
 */
function addNew(
  proposed: PlainObject,
  before: PlainObject,
  seen: ReadonlySet<string>,
  prefix: string | null,
): { readonly added: PlainObject; readonly storage: PlainObject } {
  const [now, then] = [storageOf(proposed), storageOf(before)];
  const part = (content: PlainObject, key: string): PlainObject => objectAt(storageOf(content), key);
  const placed = new Set(
    Object.keys(attributesIn(before)).map((name) => String(part(before, 'fields')[name] ?? name)),
  );
  const pathOf = (name: string): string => String(part(proposed, 'fields')[name] ?? name);
  const isKnown = (name: string, attribute: unknown): boolean => {
    const path = pathOf(name);
    if (name in attributesIn(before) || placed.has(path)) return true;
    if (isPlainObject(attribute) && attribute['mappedBy'] !== undefined) return false;
    return prefix === null
      ? [...seen].some((each) => each.endsWith(`.${path}`))
      : seen.has(`${prefix}${path}`);
  };
  const added = Object.fromEntries(
    Object.entries(attributesIn(proposed)).filter(([name, attribute]) => !isKnown(name, attribute)),
  );
  const names = new Set(Object.keys(added));
  const only = (key: string): PlainObject =>
    Object.fromEntries(Object.entries(part(proposed, key)).filter(([name]) => names.has(name)));
  const joined = (key: 'fields' | 'references'): PlainObject => {
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
      ...listed('lists'),
      ...listed('texts'),
    },
  };
}
