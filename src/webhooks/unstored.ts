import type { Store } from '../store/client.js';
import { type Delivery, noteOutcomes, type Outcome, storeDeliveries } from '../store/webhooks/deliveries.js';
import { gathered } from '../values/gathered.js';
import { groupBy } from '../values/group.js';
import { namedAlone } from './payload.js';

/** Milliseconds between two times that outcomes are stored. */
const NOTED_EVERY = 50;

/**
 * The deliveries of an endpoint that are not stored yet. Of a document, none is stored before the ones that come first:
 * after a crash, those would be queued again, behind it.
 */
export class UnstoredDeliveries {
  private readonly held = new Map<string, Delivery>();
  private readonly noteWithOthers = gathered(async (outcomes: readonly Outcome[]) => {
    await noteOutcomes(this.db, outcomes, namedAlone);
    this.release(outcomes.map(({ delivery }) => delivery));
  }, NOTED_EVERY);
  /** Documents of which some are held behind one that is under way. */
  behind: ReadonlySet<string> = new Set();

  constructor(private readonly db: Store['db']) {}

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  /** The number of the first; infinite if there is none. */
  get first(): number {
    return Math.min(...[...this.held.values()].map(({ n }) => n));
  }

  /** Holds new deliveries. */
  hold(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.held.set(delivery._id, delivery);
  }

  /** Stores new deliveries, and holds those of documents of which some are held already. */
  async add(deliveries: readonly Delivery[]): Promise<void> {
    const [later, others] = apart(deliveries, this.held.values());
    this.hold(later);
    await storeDeliveries(this.db, others, namedAlone);
  }

  /** Stores what is not under way, nor behind what is. */
  async store(underWay: ReadonlyMap<string, unknown>): Promise<void> {
    const held = groupBy(this.held.values(), ({ _id }) => underWay.has(_id));
    const [later, some] = apart(held.get(false) ?? [], held.get(true) ?? []);
    this.behind = new Set(later.map(({ document }) => document));
    await storeDeliveries(this.db, some, namedAlone);
    this.release(some);
  }

  /** Stores what came of an attempt, and the delivery with it. */
  note(delivery: Delivery, last: Outcome['last'], after: Outcome['after']): Promise<void> {
    return this.noteWithOthers({ delivery, isStored: !this.held.has(delivery._id), last, after });
  }

  private release(stored: readonly Delivery[]): void {
    for (const { _id } of stored) this.held.delete(_id);
  }
}

/** Those of documents that also have one of `first`, and the others. */
function apart(
  deliveries: readonly Delivery[],
  first: Iterable<Delivery>,
): readonly [behind: readonly Delivery[], others: readonly Delivery[]] {
  const documents = new Set([...first].map(({ document }) => document));
  const parts = groupBy(deliveries, ({ document }) => documents.has(document));
  return [parts.get(true) ?? [], parts.get(false) ?? []];
}
