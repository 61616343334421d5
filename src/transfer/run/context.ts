import type { Provider } from '../../media/types.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import type { Staging } from '../../store/transfer/staging.js';
import type { Selection } from '../source/selection.js';
import type { ImportSource } from '../source/types.js';
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
  /** Saves the state and tells of it. */
  saved(): Promise<void>;
}

export const startRun = (
  source: ImportSource,
  target: ImportTarget,
  options: ImportOptions,
  parts: { readonly staging: Staging; readonly state: State },
): Import => ({
  ...target,
  ...options,
  ...parts,
  source,
  async saved() {
    await saveState(target.store, parts.state);
    const { phase, at } = parts.state;
    options.tell({ phase, at, share: source.progress() });
  },
});

/** The collection that an import writes instead of `name`: in mode `replace` one beside it, which takes its place at the end. */
export const writtenName = ({ mode }: Pick<Import, 'mode'>, name: string): string =>
  mode === 'replace' ? `mangrove.next.${name}` : name;
