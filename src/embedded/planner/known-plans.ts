import type { CollectionMeta } from '../storage/catalog.js';
import { Snapshot } from '../storage/reader.js';
import type { Reader } from '../storage/view.js';
import { choosePlan } from './choose-plan.js';
import { filterText } from './filter-text.js';
import type { Plan, Query } from './plan.js';

/** Returns whether a collection has changed since a reader's state. */
interface Changes {
  changedAt(table: number): number;
}

/** Whether a query's plan depends only on its filter, sort, window and collection. */
const isPlain = (query: Query): boolean =>
  query.hint === undefined &&
  query.collation === undefined &&
  query.variables === undefined &&
  (Object.keys(query.filter).length === 0 || filterText(query) !== undefined);

/** Plans of repeated queries; they are valid until the collection or its indexes change. */
export class KnownPlans {
  readonly #plans = new WeakMap<object, { readonly plan: Plan; readonly commit: number }>();

  constructor(private readonly changes: Changes) {}

  /** Returns the plan of a query: a kept one, found by the object that the query was made from, or a new one. */
  choose(reader: Reader, collection: CollectionMeta, query: Query, from: object): Plan {
    const changedAt = this.changes.changedAt(collection.table);
    if (!(reader instanceof Snapshot) || changedAt > reader.commit || !isPlain(query))
      return choosePlan(reader, collection, query);
    const kept = this.#plans.get(from);
    if (kept?.plan.collection === collection && changedAt <= kept.commit) return kept.plan;
    const plan = choosePlan(reader, collection, query);
    this.#plans.set(from, { plan, commit: reader.commit });
    return plan;
  }
}
