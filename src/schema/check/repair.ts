import type { AppEvent } from '../../events/events.js';
import { isObject } from '../../values/plain-object.js';
import type { Problem } from '../error.js';
import type { SchemaFile } from '../files/read.js';
import type { CustomFields } from '../files/source.js';
import { type CheckedModels, problemsIn } from './problems.js';

/** Whether to accept only what Strapi starts with, or to change whatever can be changed. */
type Extent = 'start' | 'import';

/** A change that was made to a file, and why. */
export interface AppliedRepair extends Problem {
  /** The file that it was made in. */
  readonly uid: string;
  /** What was done, such as `it is left out`. */
  readonly does: string;
}

interface Repaired extends CheckedModels {
  readonly files: readonly SchemaFile[];
  readonly changes: readonly AppliedRepair[];
}

/** A chain of consequences is never that long. */
const MAX_ROUNDS = 100;

/**
 * Checks files and changes what can be changed, until nothing is wrong or only what someone has to correct:
 * a change may have others as its consequence.
 */
export function repair(found: readonly SchemaFile[], customFields: CustomFields, extent: Extent): Repaired {
  const files = new Map(found.map((file) => [file.file, file]));
  const changes: AppliedRepair[] = [];
  for (let round = 0; ; round += 1) {
    const checked = problemsIn([...files.values()], customFields);
    const next = checked.problems.filter(
      (problem) => files.has(problem.file) && isRepairable(problem, extent),
    );
    if (next.length === 0 || round === MAX_ROUNDS) return { ...checked, files: [...files.values()], changes };
    for (const problem of oneForEachPlace(next)) {
      const file = files.get(problem.file);
      if (!file) continue;
      const { at = problem.path, value } = problem.repair ?? {};
      files.set(file.file, { ...file, content: changed(file.content, at.split('.'), value) });
      changes.push({ ...problem, uid: file.uid, does: wordsFor({ path: problem.path, at, value }) });
    }
  }
}

/** Warnings about what is wrong in these files and nevertheless accepted. */
export const adjustmentsIn = (
  files: readonly SchemaFile[],
  customFields: CustomFields = {},
): readonly AppEvent[] =>
  repair(files, customFields, 'start').changes.map(({ file, path, expected, does }) => ({
    name: 'schema-adjusted',
    file,
    path,
    reason: expected,
    does,
  }));

/** The first problem of each attribute, since solving it may solve the others. */
const oneForEachPlace = (problems: readonly Problem[]): Iterable<Problem> =>
  new Map(
    problems
      .toReversed()
      .map((problem) => [`${problem.file} ${problem.path.split('.').slice(0, 2).join('.')}`, problem]),
  ).values();

const isRepairable = ({ repair }: Problem, extent: Extent): boolean =>
  repair !== undefined && (repair.starts || extent === 'import');

interface Made {
  readonly path: string;
  readonly at: string;
  readonly value: unknown;
}

function wordsFor({ path, at, value }: Made): string {
  const what = at === path ? 'it' : at;
  return value === undefined ? `${what} is left out` : `${what} is read as ${JSON.stringify(value)}`;
}

/** A copy with another value at a path; undefined removes it. */
function changed(content: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const within = isObject(content) ? content : {};
  if (rest.length > 0) return { ...within, [key]: changed(within[key], rest, value) };
  if (value !== undefined) return { ...within, [key]: value };
  const { [key]: _, ...left } = within;
  return left;
}
