import type { ContentType, Model } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { NamedTarget, RelationInput } from './relation-input.js';

/** What a write is to do: its body, parsed once. The later steps read the plan and never the body. */
export interface WritePlan {
  readonly type: ContentType;
  readonly root: PlannedEntry;
  /** The root and its component items at any depth, each before its own items. */
  readonly entries: readonly PlannedEntry[];
  /**
   * Attributes whose values come from another version instead of the body: they are neither resolved nor
   * hashed.
   */
  readonly inheritedNames: ReadonlySet<string>;
  /** Attributes that their condition hides, as ajv paths (`/seo/title`). Their errors are dropped. */
  readonly hidden: readonly string[];
  /** The body as received, for messages. */
  readonly original: Entry;
  /** On `update` the body holds only what changes: missing attributes are kept and get no defaults. */
  readonly action: 'create' | 'update';
  readonly needs: Needs;
  /** Some relation has an item that does not identify anything. */
  readonly invalidRelations: boolean;
}

/** The entry itself, or one of its component items. */
export interface PlannedEntry {
  readonly model: Model;
  /** Attribute names and indexes from the root. */
  readonly path: readonly string[];
  /** As received. */
  readonly given: Entry;
  /**
   * By attribute: cast scalars, in stored form once the plan is validated; for components, the `values` of
   * the items.
   */
  readonly values: Entry;
  readonly links: ReadonlyMap<string, RelationInput>;
  readonly items: ReadonlyMap<string, readonly PlannedEntry[]>;
}

/** What a write needs from the database before it can be built. */
interface Needs {
  /** Every target that the body names, including the anchors of positions. */
  readonly targets: readonly WantedTarget[];
  /** The number of new component items, each of which takes an id. */
  readonly componentIds: number;
}

/** A target that a body names. */
export interface WantedTarget extends NamedTarget {
  /** uid of the target's content type. */
  readonly uid: string;
  /** Connected by this write, so it must exist; false if it is only disconnected or an anchor. */
  readonly linked: boolean;
}
