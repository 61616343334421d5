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
      memberOf(found, storedText(model, each, { names, prefix: '' }, modelOf), () => []).push(each);
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
      const names = givenNames([item]);
      const texts = memberOf(byText, [...names].join(), () => textsOf(item.model, names));
      const alike = texts.get(itemText(item, { names, prefix: '' })) ?? [];
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
 * Attributes that a response may leave out: private ones, and components inside an item, which are only shown if they are
 * populated, as relations are. Where an item of a body leaves them out, they say nothing about which item it is.
 */
const mayBeLeftOut = (attribute: Attribute): boolean => attribute.private || attribute.kind === 'component';

/** The paths of those of these attributes that each of the items gives, at any depth. */
function givenNames(items: readonly PlannedEntry[], prefix = ''): ReadonlySet<string> {
  const attributes = [...(items[0]?.model.attributes.values() ?? [])].filter(
    (attribute) => mayBeLeftOut(attribute) && items.every(({ given }) => given[attribute.name] !== undefined),
  );
  return new Set(
    attributes.flatMap(({ name }) => {
      const inner = items.flatMap((item) => item.items.get(name) ?? []);
      return [`${prefix}${name}`, ...givenNames(inner, `${prefix}${name}.`)];
    }),
  );
}

interface Reading {
  readonly names: ReadonlySet<string>;
  /** The path of the items, empty or ending with a dot. */
  readonly prefix: string;
}

const compared = (model: Model, { names, prefix }: Reading): readonly Attribute[] =>
  [...model.attributes.values()].filter(
    (attribute) => !attribute.system && (!mayBeLeftOut(attribute) || names.has(`${prefix}${attribute.name}`)),
  );

const inside = ({ names, prefix }: Reading, name: string): Reading => ({
  names,
  prefix: `${prefix}${name}.`,
});

/** What a response shows of a stored item, as text. */
const storedText = (model: Model, stored: Document, reading: Reading, modelOf: ModelOf): string =>
  JSON.stringify(
    compared(model, reading).map((attribute) => {
      const value = valueAt(stored, attribute.stored);
      if (attribute.kind === 'scalar') return renderedText(attribute, value);
      const inner = attribute.kind === 'component' ? modelOf(attribute.component) : undefined;
      if (attribute.kind !== 'component' || !inner) return null;
      const items = [value].flat().filter(isStoredDocument);
      const shown = attribute.many ? items : items.slice(0, 1);
      return shown.map((each) => storedText(inner, each, inside(reading, attribute.name), modelOf));
    }),
  );

/** The same of an item of a body. */
const itemText = ({ model, given, items }: PlannedEntry, reading: Reading): string =>
  JSON.stringify(
    compared(model, reading).map((attribute) => {
      if (attribute.kind === 'scalar') return givenText(attribute, given[attribute.name]);
      if (attribute.kind !== 'component') return null;
      return (items.get(attribute.name) ?? []).map((each) => itemText(each, inside(reading, attribute.name)));
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
