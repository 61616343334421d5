import type { Provider } from '../../media/types.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import { openStaging, type Staging } from '../../store/transfer/staging.js';
import type { Selection } from '../source/selection.js';
import { type ImportSource, lost, type Problem } from '../source/types.js';
import { type State, saveState } from './state.js';

/** `merge` adds to what is there and replaces documents that the source has too; `replace` puts the source in its place. */
export type Mode = 'merge' | 'replace';

/** Where an import goes. */
export interface ImportTarget {
  readonly store: Store;
  readonly schema: Schema;
  /** Keeps the bytes of files. */
  readonly provider: Provider;
  /** Of the project, where the source names none. */
  readonly defaultLocale: string;
  /** The locales that the configuration names; null: it leaves them to the database. */
  readonly givenLocales: readonly string[] | null;
  /** A folder for bytes on their way to the provider. */
  readonly scratch: string;
}

export interface ImportOptions {
  readonly mode: Mode;
  readonly selection: Selection;
  /** Everything is done but the writing. */
  readonly dryRun: boolean;
  /** At the end everything is read back and compared with the source. */
  readonly verify: boolean;
  /** Called as work goes on; `share` is how much of the present phase is done, 0 to 1, where that is known. */
  readonly tell: (progress: Progress) => void;
}

export interface Progress {
  readonly phase: State['phase'];
  readonly at: number;
  readonly share: number | null;
}

/** One import under way. */
export interface Import extends ImportTarget, ImportOptions {
  readonly source: ImportSource;
  readonly staging: Staging;
  readonly state: State;
  /** Takes note of a problem; `saved` stores it. */
  report(problem: Problem): void;
  /** Stores how much of the phase is done, with the problems that were met on the way, and tells of it. */
  saved(at: number): Promise<void>;
}

export function startRun(
  source: ImportSource,
  target: ImportTarget,
  options: ImportOptions,
  state: State,
): Import {
  const staging = openStaging(target.store.db);
  const problems: { _id: string; problem: Problem }[] = [];
  let number = 0;
  return {
    ...target,
    ...options,
    source,
    staging,
    state,
    report(problem) {
      // The key follows from where it was met, so that a batch that is done again adds none.
      const key = [state.phase, String(state.at).padStart(12, '0'), String(number++).padStart(7, '0')];
      problems.push({ _id: key.join(' '), problem });
    },
    async saved(at) {
      await staging.add('problems', problems.splice(0));
      if (at !== state.at) number = 0;
      state.at = at;
      await saveState(target.store, state);
      options.tell({ phase: state.phase, at, share: source.progress() });
    },
  };
}

/** A link that does not come along, counted and told. */
export function leaveLinkOut({ state, report }: Import, at: string, why: string): void {
  state.tally.links.leftOut += 1;
  report(lost('link', at, why));
}

/** The collection that an import writes instead of `name`: in mode `replace` one beside it, which takes its place at the end. */
export const writtenName = ({ mode }: Pick<Import, 'mode'>, name: string): string =>
  mode === 'replace' ? `mangrove.next.${name}` : name;
