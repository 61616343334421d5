import { openStaging } from '../../store/transfer/staging.js';
import { assign } from '../resolve/assign.js';
import { checkLinks } from '../resolve/check-links.js';
import { pair } from '../resolve/pair.js';
import { stage } from '../resolve/stage.js';
import {
  type Import,
  type ImportMode,
  type ImportOptions,
  type ImportTarget,
  startRun,
} from '../run/context.js';
import { loadState, newState, PHASES, type Phase, type State, saveState } from '../run/state.js';
import { totalOf } from '../run/totals.js';
import { ImportError } from '../source/error.js';
import type { ImportSource } from '../source/types.js';
import { verify } from '../verify/verify.js';
import { prepareCollections, switchOver } from '../write/collections.js';
import { write } from '../write/entries.js';
import { files } from '../write/files.js';
import { finish } from '../write/finish.js';
import { type ImportReport, readReport } from './report.js';

const STEPS: Readonly<Record<Phase, (run: Import) => Promise<void>>> = {
  stage,
  pair,
  assign,
  prepare: prepareCollections,
  write,
  check: checkLinks,
  files,
  finish,
  switch: switchOver,
  verify,
};

const optionsText = ({ mode, selection, dryRun }: ImportOptions): string =>
  JSON.stringify({ mode, selection, dryRun });

const optionsOf = ({ options }: State): Pick<ImportOptions, 'mode' | 'dryRun'> => JSON.parse(options);

/**
 * Imports everything in a source. However it ends, the next call with the same source and options continues
 * after the last stored batch.
 * @throws ImportError if another import has begun and not finished
 */
export async function importContent(
  source: ImportSource,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportReport> {
  const state = await resumed(source, target, options);
  const run = startRun(source, target, options, state);
  if (state.phase === 'stage' && state.at === 0) {
    await run.staging.drop();
    for (const problem of options.schemaProblems ?? []) run.report(problem);
  }
  if (state.phase !== 'stage' || state.at > 0) options.onResume?.({ phase: state.phase, at: state.at });
  run.expect(await totalOf(run));
  await run.saved(state.at);
  for (const phase of PHASES.slice(PHASES.indexOf(state.phase))) {
    if (state.phase !== phase) {
      state.phase = phase;
      run.expect(await totalOf(run));
      await run.saved(0);
    }
    if (phase === 'prepare' && !run.dryRun) await options.beforeWriting?.();
    await STEPS[phase](run);
  }
  const report = await readReport(run);
  await abandonImport(target);
  return report;
}

async function resumed(
  source: ImportSource,
  { store }: ImportTarget,
  options: ImportOptions,
): Promise<State> {
  const wanted = optionsText(options);
  const state = await loadState(store);
  if (!state) return newState(source.fingerprint, wanted);
  if (state.fingerprint === source.fingerprint && state.options === wanted) return state;
  if (!isBegun(state)) return newState(source.fingerprint, wanted);
  throw new ImportError(
    'Another import was not finished: run it again with the same source and options, or discard it with --restart',
  );
}

/** Whether it has written anything permanent. */
const isBegun = (state: State): boolean =>
  PHASES.indexOf(state.phase) >= PHASES.indexOf('write') && !optionsOf(state).dryRun;

/** The mode of an unfinished import of this source; null if there is none. */
export async function unfinishedImport(
  store: ImportTarget['store'],
  source: ImportSource,
): Promise<{ readonly mode: ImportMode; readonly going: boolean } | null> {
  const state = await loadState(store);
  if (!state || state.fingerprint !== source.fingerprint) return null;
  return { mode: optionsOf(state).mode, going: isBegun(state) };
}

/** Abandons an unfinished import; what it wrote stays. */
export async function abandonImport({ store }: Pick<ImportTarget, 'store'>): Promise<void> {
  // First, so that what is staged is not taken for whole. A new import begins with dropping it.
  await saveState(store, null);
  await openStaging(store.db).drop();
}
