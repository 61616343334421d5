/**
 * Which stored item of an adopted list each item of a body is. Every stored item is read once, however many
 * items there are in the body.
 */
import type { Document } from 'bson';
import type { Attribute, Model } from '../../schema/types.js';
import { keyText } from '../../values/json-form.js';
import { memberOf } from '../../values/once-per.js';
import { valueAt } from '../../values/path.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import { givenText, shownText } from './values.js';

interface StoredItems {
  /** The item with this id, which is stored at `path`. */
  named(path: string, id: string): Document | undefined;
  /** The first item that is no other's and that a response shows as the body gives it. */
  repeatedBy(item: PlannedEntry): Document | undefined;
}

/** The model of a component. */
export type ModelOf = (component: string) => Model | undefined;

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
    named(path, id) {
      const found = memberOf(byId, path, () => idsAt(path)).get(id);
      if (found) taken.add(found);
      return found;
    },
    repeatedBy(item) {
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
      if (attribute.kind === 'scalar') return shownText(attribute, value);
      const inner = attribute.kind === 'component' ? modelOf(attribute.component) : undefined;
      if (attribute.kind !== 'component' || !inner) return null;
      const items = [value].flat().filter(isPlainObject);
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
