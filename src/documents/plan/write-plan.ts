import type { ContentType, Model } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { NamedTarget, RelationInput } from './relation-input.js';

/**
 * What a write asks for: its body, parsed once. Validation, resolution, building and publishing read the plan and never walk the
 * body again.
 */
export interface WritePlan {
  readonly type: ContentType;
  readonly root: PlannedEntry;
  /** The root and its component items at any depth, each before the items in it. */
  readonly entries: readonly PlannedEntry[];
  /** Attributes whose values come from another version, and not from the body: nothing about them is resolved or hashed. */
  readonly inheritedNames: ReadonlySet<string>;
  /** Attributes that their condition hides, as ajv's paths (`/seo/title`): their errors do not count. */
  readonly hidden: readonly string[];
  /** The body as it came, for messages. */
  readonly original: Entry;
  /** The body of an update holds only what changes: the rest stays as it is, and gets no defaults. */
  readonly action: 'create' | 'update';
  readonly needs: Needs;
  /** Some relation has an item that identifies nothing. */
  readonly invalidRelations: boolean;
}

/** The entry itself, or a component item in it. */
export interface PlannedEntry {
  readonly model: Model;
  /** Attribute names and positions, from the root. */
  readonly path: readonly string[];
  /** By attribute: scalars cast, and in stored form once the plan is checked; a component's items are the `values` of theirs. */
  readonly values: Entry;
  readonly links: ReadonlyMap<string, RelationInput>;
  readonly items: ReadonlyMap<string, readonly PlannedEntry[]>;
}

/** What a write needs from the database before it can be built. */
interface Needs {
  /** Every target that the body names, anchors of positions included. */
  readonly targets: readonly WantedTarget[];
  /** New component items, each of which takes an id. */
  readonly componentIds: number;
}

/** A target named somewhere in a body. */
export interface WantedTarget extends NamedTarget {
  /** uid of the content type that it must be of. */
  readonly uid: string;
  /** Connected by this write (and not only disconnected or an anchor), so it has to exist. */
  readonly linked: boolean;
}
