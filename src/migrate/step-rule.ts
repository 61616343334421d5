import type { Status } from '../schema/types.js';
import type { Store } from '../store/client.js';
import type { Sequences } from '../store/entries/sequence.js';
import type { ShapeType, StoredShape } from './shape.js';
import type { MigrationStep, StoredEntry } from './types.js';

/** Where an item is stored. */
export interface ItemPlace {
  readonly status: Status;
}

/** What steps have access to. */
export interface World {
  readonly db: Store['db'];
  readonly sequences: Sequences;
  /** The applied shape before the step. */
  readonly shape: StoredShape;
  /** The shape of what is stored; in a preview, that before the first step. */
  readonly stored: StoredShape;
  /** Part of the names of collections that are set aside. */
  readonly migration: string;
  /** Throws if another process has taken over the lock. */
  alive(): void;
}

/** Returns the changed item; null if it stays the same. Throws `MigrationError` if it cannot be changed. */
export type ItemChange = (
  item: StoredEntry,
  at: ItemPlace,
) => Promise<StoredEntry | null> | StoredEntry | null;

/** The implementation of one kind of step. */
export interface StepRule<S extends MigrationStep> {
  /**
   * The shape after the step. `current` is the shape of the schema files. Throws `MigrationError` if the step
   * does not fit.
   */
  reshape(shape: StoredShape, step: S, current: StoredShape): StoredShape;
  /** Changes items individually. */
  readonly item?: (step: S, world: Pick<World, 'sequences' | 'shape'>) => ItemChange;
  /** The step must not be applied to an item twice, so changed entries are marked. */
  readonly once?: true;
  /** Why the step cannot change the collections of `type`, which are named as they are stored. */
  readonly refusal?: (step: S, world: World, type: ShapeType) => Promise<string | null>;
  /** Changes whole collections; can be repeated. */
  readonly work?: (step: S, world: World, type: ShapeType) => Promise<void>;
  /** The step that undoes this one, or why there is none. `before`: the applied shape before it. */
  inverse(step: S, before: StoredShape): MigrationStep | string;
}
