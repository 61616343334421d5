/**
 * Recognizes the server, and chooses the forms of reads that are fastest on it (figures in
 * docs/decisions/001).
 */
import type { Document } from 'mongodb';
import { BY_ROW, type LookupForm, type ReadForm } from '../../pipeline/types.js';

export type EngineName = 'mongodb' | 'ferretdb' | 'secantusdb' | 'embedded';

export interface Engine {
  readonly name: EngineName;
  /** The MongoDB version, or the version that the server emulates: `[7, 0, 2]`. */
  readonly version: readonly number[];
}

/** `auto` uses the table below. */
export type LookupSetting = LookupForm | 'auto';

type Forms = Omit<ReadForm, 'byLookup'>;

interface Row {
  readonly engine: EngineName;
  /** The first version that this row applies to. */
  readonly since: readonly number[];
  readonly forms: Forms;
}

/** The last row for the server's engine that is not newer than the server applies. */
const FASTEST: readonly Row[] = [
  { engine: 'mongodb', since: [5, 0], forms: { populate: 'sets', sort: 'sets', keyPaths: true } },
  { engine: 'ferretdb', since: [0], forms: { populate: 'sets', sort: 'rows', keyPaths: true } },
  { engine: 'secantusdb', since: [0], forms: { populate: 'sets', sort: 'rows', keyPaths: false } },
  { engine: 'embedded', since: [0], forms: { populate: 'sets', sort: 'rows', keyPaths: true } },
];

/** Servers that abort a command when its connection closes; others run it until it completes or times out. */
const ENDING_WITH_CONNECTION: ReadonlySet<EngineName> = new Set(['mongodb', 'embedded']);

export const endsWithConnection = ({ name }: Engine): boolean => ENDING_WITH_CONNECTION.has(name);

/** Takes the response to `buildInfo`. */
export function engineOf(build: Document): Engine {
  const version = Array.isArray(build['versionArray'])
    ? build['versionArray'].slice(0, 3).map(Number)
    : String(build['version'] ?? '0')
        .split('.')
        .map(Number);
  if (build['ferretdb'] !== undefined) return { name: 'ferretdb', version };
  if (build['secantusVersion'] !== undefined) return { name: 'secantusdb', version };
  return { name: isEmbedded(build) ? 'embedded' : 'mongodb', version };
}

const isEmbedded = ({ modules }: Document): boolean => Array.isArray(modules) && modules.includes('mangrove');

/** Whether `version` is `since` or newer. */
export function isSince(version: readonly number[], since: readonly number[]): boolean {
  for (const [index, least] of since.entries()) {
    const part = version[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** MongoDB joins sharded collections from 5.1 on. */
export const joinsSharded = ({ name, version }: Engine): boolean =>
  name !== 'mongodb' || isSince(version, [5, 1]);

export function formsFor({ name, version }: Engine, setting: LookupSetting): Forms {
  const row = FASTEST.findLast(({ engine, since }) => engine === name && isSince(version, since));
  const { forms } = row ?? { forms: BY_ROW };
  return setting === 'auto' ? forms : { ...forms, populate: setting, sort: setting };
}
