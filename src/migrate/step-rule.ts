import type { Status } from '../query/read-plan.js';
import type { Store } from '../store/client.js';
import type { Sequences } from '../store/entries/sequence.js';
import type { Shape, ShapeType } from './shape.js';
import type { MigrationStep, StoredEntry } from './types.js';

/** Where an item lies. */
export interface ItemPlace {
  readonly status: Status;
}

/** What steps work with. */
export interface World {
  readonly db: Store['db'];
  readonly sequences: Sequences;
  /** What is applied when the step begins. */
  readonly shape: Shape;
  /** Names what is set aside. */
  readonly migration: string;
  /** Throws where another process has the lock by now. */
  alive(): void;
}

/** The item as it shall be; null: as it is. Throws `MigrationError` for one that cannot be changed. */
export type ItemChange = (
  item: StoredEntry,
  at: ItemPlace,
) => Promise<StoredEntry | null> | StoredEntry | null;

/** Everything that is known of one kind of step. */
export interface StepRule<S extends MigrationStep> {
  /** What is applied once it is done. `current`: what the schema files say. Throws `MigrationError` where it does not fit. */
  reshape(shape: Shape, step: S, current: Shape): Shape;
  /** Changes items one by one. */
  readonly item?: (step: S, world: Pick<World, 'sequences'>) => ItemChange;
  /** Done twice to one item it would do harm, so items are marked. */
  readonly once?: true;
  /** Changes collections; safe to repeat. */
  readonly work?: (step: S, world: World, type: ShapeType) => Promise<void>;
  /** The step that undoes it, or why there is none. `before`: what was applied before it. */
  inverse(step: S, before: Shape): MigrationStep | string;
}
