import type { Provider } from '../../media/types.js';
import type { Schema } from '../../schema/types.js';
import type { AccountSettings } from '../../store/account-settings.js';
import type { Store } from '../../store/client.js';
import { openStaging, type Staging } from '../../store/transfer/staging.js';
import type { SelectedParts } from '../source/selection.js';
import { type ImportProblem, type ImportSource, lost } from '../source/types.js';
import { placeKeyOf, type StagedProblem } from './rows.js';
import { PHASES, type State, saveState } from './state.js';

/**
 * `merge` adds to the existing content and replaces documents that are also in the source; `replace` replaces
 * all content.
 */
export type ImportMode = 'merge' | 'replace';

/** The target of an import. */
export interface ImportTarget {
  readonly store: Store;
  readonly schema: Schema;
  /** Stores the bytes of files. */
  readonly provider: Provider;
  /** The project's default locale, used if the source names none. */
  readonly defaultLocale: string;
  /** The locales in the configuration; null if they are kept in the database. */
  readonly givenLocales: readonly string[] | null;
  /** The settings of accounts that the configuration sets. */
  readonly givenAccountSettings: AccountSettings;
  /** A folder for temporary files. */
  readonly scratch: string;
}

export interface ImportOptions {
  readonly mode: ImportMode;
  readonly selection: SelectedParts;
  /** Whether to do everything except writing. */
  readonly dryRun: boolean;
  /** Whether to read everything back at the end and compare it with the source. */
  readonly verify: boolean;
  /** What the source's schemas lose, which the report lists first. */
  readonly schemaProblems?: readonly ImportProblem[];
  /** Called once before anything but the import's own working data is written; not in a dry run. */
  readonly beforeWriting?: () => Promise<void>;
  readonly onProgress: (progress: Progress) => void;
  /** Called if an interrupted import continues, with where it does. */
  readonly onResume?: (from: Pick<Progress, 'phase' | 'at'>) => void;
}

export interface Progress {
  readonly phase: State['phase'];
  /** What the phase has processed: records, rows, links, files. */
  readonly at: number;
  /** What it will have processed at its end; 0 if it has nothing to do, null if that is unknown. */
  readonly total: number | null;
  /** The completed part of the phase from 0 to 1; null if that is unknown. */
  readonly share: number | null;
}

/** An import in progress. */
export interface Import extends ImportTarget, ImportOptions {
  readonly source: ImportSource;
  readonly staging: Staging;
  readonly state: State;
  /** Sets what the current phase will process, for `onProgress`. */
  expect(total: number | null): void;
  /** Records a problem; `saved` stores it. */
  report(problem: ImportProblem): void;
  /** Saves the progress of the phase together with the problems found, and reports it. */
  saved(at: number): Promise<void>;
}

export function startRun(
  source: ImportSource,
  target: ImportTarget,
  options: ImportOptions,
  state: State,
): Import {
  const staging = openStaging(target.store.db);
  const problems: StagedProblem[] = [];
  let number = 0;
  let total: number | null = null;
  const done = (at: number): Omit<Progress, 'phase'> => {
    if (total !== null) return { at, total, share: total === 0 ? null : Math.min(1, at / total) };
    const read = source.progress();
    const { entries = null, share = null } = read ?? {};
    return entries ? { at: entries.read, total: entries.total, share } : { at, total, share };
  };
  return {
    ...target,
    ...options,
    source,
    staging,
    state,
    expect(wanted) {
      total = wanted;
    },
    report(problem) {
      // The key is derived from the position, so that a repeated batch adds no duplicates.
      const phase = String(PHASES.indexOf(state.phase)).padStart(2, '0');
      const key = [phase, String(state.at).padStart(12, '0'), String(number++).padStart(7, '0')];
      problems.push({ _id: key.join(' '), place: placeKeyOf(problem.at), problem });
    },
    async saved(at) {
      await staging.add('problems', problems.splice(0));
      if (at !== state.at) number = 0;
      state.at = at;
      await saveState(target.store, state);
      options.onProgress({ phase: state.phase, ...done(at) });
    },
  };
}

/** Counts and reports a link that is not imported. */
export function leaveLinkOut({ state, report }: Import, at: string, why: string): void {
  state.tally.links.leftOut += 1;
  report(lost('link', at, why));
}

/**
 * The collection that an import writes instead of `name`: in mode `replace` a separate one, which replaces it
 * at the end.
 */
export const writtenName = ({ mode }: Pick<Import, 'mode'>, name: string): string =>
  mode === 'replace' ? `mangrove.next.${name}` : name;
