import type { Staged, Staging } from '../../store/transfer/staging.js';
import { plural } from '../../values/plural.js';
import type { Import } from '../run/context.js';
import type { StagedDifference, StagedProblem } from '../run/rows.js';
import type { Tally } from '../run/state.js';
import type { ImportProblem } from '../source/types.js';

/** The result of an import. */
export interface ImportReport {
  readonly source: string;
  readonly dryRun: boolean;
  /** By uid: the number of rows in the source, written, and left out. */
  readonly entries: Tally['entries'];
  readonly links: Tally['links'];
  readonly files: Tally['files'];
  /** Locales, grants, tokens, component items. */
  readonly others: Tally['others'];
  /** Everything that could not be imported unchanged, in the order of the import. */
  readonly problems: readonly ImportProblem[];
  /** Null if verification was not requested. */
  readonly verified:
    | (Omit<Tally['verified'], 'differences'> & { readonly differences: readonly string[] })
    | null;
}

/** The first problems up to this number are listed; the rest are only counted. */
const NAMED = 100_000;

async function firstOf<T extends Staged>(staging: Staging, name: string): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const batch of staging.batches<T>(name)) found.push(...batch.slice(0, NAMED - found.length));
  return found;
}

export async function readReport({ source, staging, state, dryRun, ...run }: Import): Promise<ImportReport> {
  const { tally } = state;
  const problems = (await firstOf<StagedProblem>(staging, 'problems')).map(({ problem }) => problem);
  const differences = (await firstOf<StagedDifference>(staging, 'differences')).map(({ text }) => text);
  const { links } = tally;
  return {
    source: source.name,
    dryRun,
    entries: tally.entries,
    links: { ...links, written: links.read - links.leftOut },
    files: tally.files,
    others: tally.others,
    problems,
    verified: run.verify && !dryRun ? { ...tally.verified, differences } : null,
  };
}

const sum = (entries: Tally['entries'], key: 'read' | 'written' | 'leftOut'): number =>
  Object.values(entries).reduce((total, one) => total + one[key], 0);

/** The report as text: first the figures, then each problem. */
export function reportLines(report: ImportReport): readonly string[] {
  const { entries, links, files, others, problems, verified } = report;
  const width = Math.max(0, ...Object.keys(entries).map((uid) => uid.length));
  const rows = Object.entries(entries).map(
    ([uid, { read, written, leftOut }]) =>
      `  ${uid.padEnd(width)}  ${String(read).padStart(7)} read ${String(written).padStart(7)} written ${String(leftOut).padStart(7)} left out`,
  );
  const more = Object.entries(others).map(([name, count]) => `${count} ${name}`);
  const left = problems.filter(({ kept }) => !kept);
  const kept = problems.filter((problem) => problem.kept);
  return [
    `${report.source}${report.dryRun ? ' (dry run: nothing was written)' : ''}`,
    ...rows,
    `${plural(sum(entries, 'read'), 'entry', 'entries')}, ${sum(entries, 'written')} written, ${sum(entries, 'leftOut')} left out`,
    `${plural(links.read, 'link')}, ${links.written} written, ${links.leftOut} left out`,
    `${plural(files.read, 'file')}, ${files.written} written, ${files.bytes} bytes`,
    ...(more.length > 0 ? [more.join(', ')] : []),
    ...list('Left out or changed', left),
    ...list('Kept in another place or form', kept),
    ...(verified ? verifiedLines(verified) : []),
  ];
}

const list = (heading: string, problems: readonly ImportProblem[]): string[] =>
  problems.length === 0
    ? []
    : [
        '',
        `${heading} (${problems.length}):`,
        ...problems.map(({ what, at, why }) => `  ${what}  ${at}: ${why}`),
      ];

const verifiedLines = (verified: NonNullable<ImportReport['verified']>): string[] => {
  const { entries, values, links, files, differences } = verified;
  const read = `Read back: ${entries} entries, ${values} values, ${links} links, ${files} files`;
  if (differences.length === 0) return ['', `${read}; everything matches the source`];
  return [
    '',
    `${read}; ${differences.length} differ from the source:`,
    ...differences.map((text) => `  ${text}`),
  ];
};
