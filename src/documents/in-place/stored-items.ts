/**
 * Which stored item of an adopted list each item of a body is. Every stored item is read once, however many
 * items there are in the body.
 */
import type { Document } from 'bson';
import type { Attribute, Model } from '../../schema/types.js';
import { isStoredDocument } from '../../values/bson.js';
import { keyText } from '../../values/json-form.js';
import { memberOf } from '../../values/once-per.js';
import { valueAt } from '../../values/path.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import { givenText, renderedText } from './values.js';

interface StoredItems {
  /** The item with the id that the body gives; without an id, the first that is no other's and is shown as given. */
  of(item: PlannedEntry): Document | undefined;
}

/** The model of a component. */
export type ModelOf = (component: string) => Model | undefined;

/** The path at which items of the model store their identity; null if they have none. */
export const identityOf = ({ model }: PlannedEntry): string | null =>
  model.attributes.get('id')?.stored ?? null;

/** The id that an item of a body gives; null if it gives none. */
export const givenId = (item: PlannedEntry): string | null => {
  const id = identityOf(item) === null ? null : (item.values['id'] ?? null);
  return id === null ? null : String(id);
};

/** Finds each of these items, of one list. */
export function storedItems(present: readonly Document[], modelOf: ModelOf): StoredItems {
  const byId = new Map<string, Map<string, Document>>();
  const byText = new Map<string, Map<string, Document[]>>();
  const taken = new Set<Document>();

  const idsAt = (path: string): Map<string, Document> =>
    // Of several items with one id, the first.
    new Map(present.toReversed().map((each) => [keyText(valueAt(each, path) ?? null), each]));

  const textsOf = (model: Model, names: ReadonlySet<string>): Map<string, Document[]> => {
    const found = new Map<string, Document[]>();
    for (const each of present.toReversed())
      memberOf(found, storedText(model, each, { names, modelOf }), () => []).push(each);
    return found;
  };

  return {
    of(item) {
      const path = identityOf(item);
      const id = givenId(item);
      if (id !== null && path !== null) {
        const found = memberOf(byId, path, () => idsAt(path)).get(id);
        if (found) taken.add(found);
        return found;
      }
      const names = privateNames(item);
      const texts = memberOf(byText, [...names].join(), () => textsOf(item.model, names));
      const alike = texts.get(itemText(item, names)) ?? [];
      // The last one is the first that is stored.
      for (let found = alike.pop(); found; found = alike.pop()) {
        if (taken.has(found)) continue;
        taken.add(found);
        return found;
      }
      return undefined;
    },
  };
}

/**
 * The private attributes that an item of a body gives. Those that it leaves out, and relations, which are only
 * shown if they are populated, say nothing about which item it is.
 */
const privateNames = ({ model, given }: PlannedEntry): ReadonlySet<string> =>
  new Set(
    [...model.attributes.values()]
      .filter((attribute) => attribute.private && given[attribute.name] !== undefined)
      .map(({ name }) => name),
  );

const NONE: ReadonlySet<string> = new Set();

const compared = (model: Model, names: ReadonlySet<string>): readonly Attribute[] =>
  [...model.attributes.values()].filter(
    (attribute) => !attribute.system && (!attribute.private || names.has(attribute.name)),
  );

interface Reading {
  readonly names: ReadonlySet<string>;
  readonly modelOf: ModelOf;
}

/** What a response shows of a stored item, as text. */
const storedText = (model: Model, stored: Document, { names, modelOf }: Reading): string =>
  JSON.stringify(
    compared(model, names).map((attribute) => {
      const value = valueAt(stored, attribute.stored);
      if (attribute.kind === 'scalar') return renderedText(attribute, value);
      const inner = attribute.kind === 'component' ? modelOf(attribute.component) : undefined;
      if (attribute.kind !== 'component' || !inner) return null;
      const items = [value].flat().filter(isStoredDocument);
      const shown = attribute.many ? items : items.slice(0, 1);
      return shown.map((each) => storedText(inner, each, { names: NONE, modelOf }));
    }),
  );

/** The same of an item of a body. */
const itemText = ({ model, given, items }: PlannedEntry, names: ReadonlySet<string>): string =>
  JSON.stringify(
    compared(model, names).map((attribute) => {
      if (attribute.kind === 'scalar') return givenText(attribute, given[attribute.name]);
      if (attribute.kind !== 'component') return null;
      return (items.get(attribute.name) ?? []).map((each) => itemText(each, NONE));
    }),
  );

/** The attributes that a body gives as a response shows them, at any depth, as ajv paths (`/parts/0/size`). */
export function repeatedPaths(plan: PlannedEntry, stored: Document, modelOf: ModelOf): readonly string[] {
  return [...plan.model.attributes.values()].flatMap((attribute): readonly string[] => {
    const { name } = attribute;
    if (attribute.system || plan.given[name] === undefined) return [];
    const value = valueAt(stored, attribute.stored);
    if (attribute.kind === 'scalar')
      return renderedText(attribute, value) === givenText(attribute, plan.given[name])
        ? [`/${[...plan.path, name].join('/')}`]
        : [];
    const items = plan.items.get(name) ?? [];
    const present = [value].flat().filter(isStoredDocument);
    const [first] = present;
    if (attribute.kind !== 'component' || !first) return [];
    if (!attribute.many) return items.flatMap((item) => repeatedPaths(item, first, modelOf));
    const found = storedItems(present, modelOf);
    return items.flatMap((item) => {
      const of = found.of(item);
      return of ? repeatedPaths(item, of, modelOf) : [];
    });
  });
}
