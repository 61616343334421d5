/** Proposes schema files for inspected collections: content types, components, and relations between them. */

import type { KeyForm } from '../schema/types.js';
import type { CollectionFacts, Sampled } from '../store/adopted/inspect.js';
import { isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import { type FoundReference, type Inspected, uniquePaths } from './inspected.js';
import type { Kind } from './kinds.js';
import { analyze, type ProposedModel } from './model.js';
import type { DeclaredReference } from './mongoose.js';
import { capitalized, type TypeName, typeNamer } from './names.js';
import { findReferences, type Probing } from './references.js';
import { addRelations, apiUid } from './relations.js';
import { addValue, kindsOf, newValues } from './statistics.js';

/** Access to the database that is inspected. */
interface Inspector {
  facts(wanted: (name: string) => boolean): Promise<readonly CollectionFacts[]>;
  sample(facts: CollectionFacts): Sampled;
  readonly probe: Probing;
}

export interface ProposeOptions {
  readonly inspector: Inspector;
  /** Null: the project's database. */
  readonly database: string | null;
  /** Empty: all. */
  readonly collections: readonly string[];
  /** Names of the existing content types, and of their collections. */
  readonly takenNames: ReadonlySet<string>;
  /** The names of types for collections that already have one. */
  readonly known: ReadonlyMap<string, TypeName>;
  /** Collections that belong to Mangrove's own content types. */
  readonly own: ReadonlySet<string>;
  /** More precise rules than a sample provides, by collection: Mongoose schemas as JSON Schema. */
  readonly rules?: ReadonlyMap<string, PlainObject>;
  /** References that models declare. */
  readonly declared?: readonly DeclaredReference[];
}

export interface ProposedType {
  readonly uid: string;
  readonly collection: string;
  readonly name: TypeName;
  /** The content of schema.json. */
  readonly schema: PlainObject;
  /** By uid. */
  readonly components: ReadonlyMap<string, PlainObject>;
  readonly documents: number;
  readonly sampled: number;
  readonly references: readonly FoundReference[];
  readonly notes: readonly string[];
}

export interface Proposal {
  readonly types: readonly ProposedType[];
  /** Collections for which no type is proposed, and why. */
  readonly refused: readonly { readonly collection: string; readonly reason: string }[];
}

export async function propose(options: ProposeOptions): Promise<Proposal> {
  const { inspector, collections, own } = options;
  const wanted = new Set(collections);
  const facts = await inspector.facts((name) =>
    wanted.size > 0 ? wanted.has(name) : !own.has(name) && !own.has(name.replace(/\.drafts$/, '')),
  );
  const refused = [...wanted]
    .filter((name) => !facts.some((each) => each.name === name))
    .map((collection) => ({ collection, reason: 'there is no such collection' }));
  const nameOf = typeNamer(options.takenNames);
  const all: Inspected[] = [];
  for (const each of facts) {
    const rule = ruleOf(each, options.rules);
    if (own.has(each.name))
      refused.push({
        collection: each.name,
        reason: 'it contains entries of a content type of this project',
      });
    else if (isChunks(each, facts))
      refused.push({ collection: each.name, reason: 'it contains the bytes of files in GridFS' });
    else if (each.count === 0 && rule === null)
      refused.push({
        collection: each.name,
        reason: 'it is empty and has no validator, so its structure is unknown',
      });
    else all.push(await findings(each, options.known.get(each.name) ?? nameOf(each.name), rule, inspector));
  }
  const references = await findReferences(all, inspector.probe, options.declared);
  for (const looked of all) markUnique(looked);
  addRelations(references);
  return { types: all.map((looked) => typeOf(looked, references, options.database)), refused };
}

/** Whether these are the chunks of GridFS, by their index, beside its files. */
const isChunks = ({ name, indexes }: CollectionFacts, all: readonly CollectionFacts[]): boolean =>
  name.endsWith('.chunks') &&
  indexes.some(({ keys }) => Object.keys(keys).join() === 'files_id,n') &&
  all.some((other) => other.name === name.replace(/chunks$/, 'files'));

function ruleOf({ name, jsonSchema }: CollectionFacts, rules: ProposeOptions['rules']): PlainObject | null {
  const given = rules?.get(name) ?? null;
  const stored = isPlainObject(jsonSchema) ? jsonSchema : null;
  if (!given || !stored) return given ?? stored;
  return {
    ...stored,
    ...given,
    properties: { ...objectAt(stored, 'properties'), ...objectAt(given, 'properties') },
  };
}

async function findings(
  facts: CollectionFacts,
  name: TypeName,
  rule: PlainObject | null,
  inspector: Inspector,
): Promise<Inspected> {
  const sample = inspector.sample(facts);
  const values = newValues();
  for await (const document of sample.documents) addValue(values, document);
  return { facts, name, values, whole: sample.whole, findings: analyze(values, rule, name.singular) };
}

function markUnique({ facts, findings: { root } }: Inspected): void {
  const paths = new Set(uniquePaths(facts));
  for (const [name, attribute] of root.attributes)
    if (paths.has(root.fields[name] ?? name) && !root.lists.includes(name) && !NOT_UNIQUE.has(attribute.type))
      root.attributes.set(name, { ...attribute, unique: true });
}

const NOT_UNIQUE: ReadonlySet<string> = new Set(['json', 'component', 'relation']);

function typeOf(
  { facts, name, values, findings: found }: Inspected,
  references: readonly FoundReference[],
  database: string | null,
): ProposedType {
  const id = keyForm(kindsOf(values.fields?.get('_id') ?? newValues()));
  const mine = references.filter(({ from }) => from.facts === facts);
  return {
    uid: apiUid(name.singular),
    collection: facts.name,
    name,
    schema: {
      kind: 'collectionType',
      info: { singularName: name.singular, pluralName: name.plural, displayName: displayName(name.singular) },
      options: { draftAndPublish: false },
      pluginOptions: {
        mangrove: {
          storage: {
            collection: facts.name,
            ...(database !== null && { database }),
            ...(id !== 'objectId' && { id }),
            ...storageOf(found.root),
          },
          seen: found.seen,
        },
      },
      attributes: Object.fromEntries(found.root.attributes),
    },
    components: new Map([...found.components].map(([uid, model]) => [uid, componentFile(uid, model)])),
    documents: facts.count,
    sampled: values.count,
    references: mine,
    notes: [...notesOn(facts), ...found.notes],
  };
}

const storageOf = ({ fields, references, lists, texts, integers }: ProposedModel): PlainObject =>
  Object.fromEntries(
    Object.entries({ fields, references, lists, texts, integers }).filter(
      ([, own]) => Object.keys(own).length > 0,
    ),
  );

const componentFile = (uid: string, model: ProposedModel): PlainObject => ({
  info: { displayName: displayName(uid.split('.')[1] ?? uid) },
  pluginOptions: {
    mangrove: { storage: { ...(model.id !== null && { id: model.id }), ...storageOf(model) } },
  },
  attributes: Object.fromEntries(model.attributes),
});

const KEY_FORMS: Readonly<Partial<Record<Kind, KeyForm>>> = {
  objectId: 'objectId',
  string: 'string',
  int: 'number',
  long: 'number',
  double: 'number',
  uuid: 'uuid',
};

/** The form of the keys; `any` if there are several. */
function keyForm(kinds: readonly Kind[]): KeyForm {
  const forms = new Set(kinds.map((kind) => KEY_FORMS[kind] ?? 'any'));
  const [form = 'objectId'] = forms;
  return forms.size > 1 ? 'any' : form;
}

const displayName = (name: string): string => capitalized(name.replaceAll('-', ' '));

/** Notes on the collection for the reader of its schema, one sentence each. */
const notesOn = ({ type, capped, sharded, count }: CollectionFacts): readonly string[] => [
  ...(type === 'view' ? ['it is a view: it can be read, and has no indexes'] : []),
  ...(type === 'timeseries' ? ['it is a time series: it can be read, but not written by documentId'] : []),
  ...(capped
    ? ['it is capped: old documents are removed automatically, and documents cannot change size']
    : []),
  ...(sharded ? ['it is sharded: relations to it require MongoDB 5.1'] : []),
  ...(count === 0 ? ['it is empty: its structure is known only from its validator'] : []),
];
