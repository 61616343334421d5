import type { AccountSettings } from '../../store/account-settings.js';
import type { Store } from '../../store/client.js';
import { readImportState, writeImportState } from '../../store/transfer/staging.js';

/** The phases of an import, in order. */
export const PHASES = [
  'stage',
  'pair',
  'assign',
  'prepare',
  'write',
  'check',
  'files',
  'finish',
  'switch',
  'verify',
] as const;
export type Phase = (typeof PHASES)[number];

/** The counts of an import, which `report.ts` prints. */
export interface Tally {
  /** By uid. */
  entries: Record<string, { read: number; written: number; leftOut: number }>;
  links: { read: number; written: number; leftOut: number };
  /** Links that their list has already, by attribute. */
  repeated: Record<string, number>;
  files: { read: number; written: number; bytes: number };
  others: Record<string, number>;
  verified: { entries: number; values: number; links: number; files: number; differences: number };
}

/** The state of an import, saved after each batch, so that an interrupted import continues there. */
export interface State {
  fingerprint: string;
  /** The options that affect the result; an import continues only with the same ones. */
  options: string;
  phase: Phase;
  /** Number of records, pairs, rows, entries or files processed in this phase. */
  at: number;
  /** Number of entries staged, which numbers their rows. */
  rows: number;
  defaultLocale: string | null;
  accountSettings: AccountSettings | null;
  /** The highest number used so far, by sequence (uid, or `components`). */
  highest: Record<string, number>;
  /** The positions of those sequences before the import. */
  base: Record<string, number>;
  /** Relations with references to entries in another locale. */
  acrossLocales: string[];
  /** Entries with a value that its attribute does not allow, by uid and attribute. */
  disallowed: Record<string, { count: number; example: string }>;
  tally: Tally;
}

export const newState = (fingerprint: string, options: string): State => ({
  fingerprint,
  options,
  phase: 'stage',
  at: 0,
  rows: 0,
  defaultLocale: null,
  accountSettings: null,
  highest: {},
  base: {},
  acrossLocales: [],
  disallowed: {},
  tally: {
    entries: {},
    links: { read: 0, written: 0, leftOut: 0 },
    repeated: {},
    files: { read: 0, written: 0, bytes: 0 },
    others: {},
    verified: { entries: 0, values: 0, links: 0, files: 0, differences: 0 },
  },
});

export const loadState = async (store: Store): Promise<State | null> => {
  const text = await readImportState(store.db);
  return text === null ? null : JSON.parse(text);
};

export const saveState = (store: Store, state: State | null): Promise<void> =>
  writeImportState(store.db, state === null ? null : JSON.stringify(state));

export const entryTally = ({ tally }: State, uid: string): Tally['entries'][string] => {
  tally.entries[uid] ??= { read: 0, written: 0, leftOut: 0 };
  return tally.entries[uid];
};

/** The sequence of component items. */
export const COMPONENTS = 'components';

/** Numbers above are none that a sequence may continue after: the next would be no other. */
const LAST = 1e15;

/** Raises the highest number of a sequence. */
export const reached = ({ highest }: State, name: string, number: number): void => {
  if (number < LAST) highest[name] = Math.max(highest[name] ?? 0, Math.floor(number));
};
