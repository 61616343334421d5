import { idText } from '../../values/id-text.js';
import { memberOf } from '../../values/once-per.js';
import type { Entry, WriteStep } from './changes.js';
import type { EntryFilter } from './entries.js';
import { matches } from './matches.js';

/**
 * The changes of several operations that become one write. Each operation was computed from what is stored with
 * the changes before it, so of each document the first `before` and the last `after` count.
 */
export class Pending {
  /** By collection and `_id`. */
  readonly #changed = new Map<string, Map<string, WriteStep>>();

  add(steps: readonly WriteStep[]): void {
    for (const { collection, id, before, after } of steps) {
      const changed = memberOf(this.#changed, collection, () => new Map<string, WriteStep>());
      const known = changed.get(idText(id));
      changed.set(idText(id), { collection, id, before: known ? known.before : before, after });
    }
  }

  /** What was changed in a collection; `before` is what is stored. */
  of(collection: string): readonly WriteStep[] {
    return [...(this.#changed.get(collection)?.values() ?? [])];
  }

  /** The steps of the write, removals first: a document that takes a unique value of a removed one follows. */
  steps(): WriteStep[] {
    const all = [...this.#changed.keys()].flatMap((collection) => this.of(collection));
    return [...all.filter(({ before, after }) => before && !after), ...all.filter(({ after }) => after)];
  }

  /** What a filter finds once the changes are stored, from what it finds now. */
  found(collection: string, filter: EntryFilter, stored: readonly Entry[]): Entry[] {
    const changed = this.#changed.get(collection);
    if (!changed) return [...stored];
    const now = this.of(collection).flatMap(({ after }) => (after && matches(after, filter) ? [after] : []));
    return [...stored.filter(({ _id }) => !changed.has(idText(_id))), ...now];
  }
}
