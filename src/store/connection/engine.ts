/** Which server answers, and the forms of reading that it is fastest with (docs/decisions/001 has the figures). */
import type { Document } from 'mongodb';
import type { LookupForm, ReadForm } from '../../pipeline/types.js';

export type EngineName = 'mongodb' | 'ferretdb' | 'secantusdb' | 'embedded';

export interface Engine {
  readonly name: EngineName;
  /** Of MongoDB, or the one that the server follows: `[7, 0, 2]`. */
  readonly version: readonly number[];
}

/** `auto`: by the table below. */
export type LookupSetting = LookupForm | 'auto';

type Forms = Pick<ReadForm, 'populate' | 'sort'>;

interface Row {
  readonly engine: EngineName;
  /** The first version that it holds for. */
  readonly since: readonly number[];
  readonly forms: Forms;
}

/** The last row of an engine that is not newer than the server counts. */
const FASTEST: readonly Row[] = [
  { engine: 'mongodb', since: [5, 0], forms: { populate: 'sets', sort: 'sets' } },
  { engine: 'ferretdb', since: [0], forms: { populate: 'rows', sort: 'rows' } },
  { engine: 'secantusdb', since: [0], forms: { populate: 'sets', sort: 'rows' } },
  { engine: 'embedded', since: [0], forms: { populate: 'sets', sort: 'rows' } },
];

/** Servers that end a command when its connection has gone; others work on until it is done or out of time. */
const ENDING_WITH_CONNECTION: ReadonlySet<EngineName> = new Set(['mongodb', 'embedded']);

export const endsWithConnection = ({ name }: Engine): boolean => ENDING_WITH_CONNECTION.has(name);

/** From the answer to `buildInfo`. */
export function engineOf(build: Document): Engine {
  const version = Array.isArray(build['versionArray'])
    ? build['versionArray'].slice(0, 3).map(Number)
    : String(build['version'] ?? '0')
        .split('.')
        .map(Number);
  const modules = modulesOf(build);
  if (build['ferretdb'] !== undefined) return { name: 'ferretdb', version };
  if (build['secantusVersion'] !== undefined) return { name: 'secantusdb', version };
  return { name: modules.includes('mangrove') ? 'embedded' : 'mongodb', version };
}

const modulesOf = (build: Document): readonly unknown[] =>
  Array.isArray(build['modules']) ? build['modules'] : [];

/** An engine of an older Mangrove does not. From the answer to `buildInfo`. */
export const offersAtomicBulks = (build: Document): boolean => modulesOf(build).includes('atomicBulkWrite');

/** Whether `version` is `since` or newer. */
export function isSince(version: readonly number[], since: readonly number[]): boolean {
  for (const [index, least] of since.entries()) {
    const part = version[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

export function formsFor({ name, version }: Engine, setting: LookupSetting): Forms {
  if (setting !== 'auto') return { populate: setting, sort: setting };
  const row = FASTEST.findLast(({ engine, since }) => engine === name && isSince(version, since));
  return row?.forms ?? { populate: 'rows', sort: 'rows' };
}
