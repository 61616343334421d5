import { note } from '../terminal/output.js';
import type { Progress } from '../transfer/run/context.js';

/** The phases of an import, and loading a dump before them. */
type Shown = Progress['phase'] | 'load';

const WORDS: Readonly<Record<Shown, string>> = {
  load: 'loading the dump',
  stage: 'reading',
  pair: 'pairing locales',
  assign: 'placing entries',
  prepare: 'creating collections',
  write: 'writing entries',
  check: 'checking links',
  files: 'storing files',
  finish: 'finishing',
  switch: 'switching over',
  verify: 'reading back',
};

/** Phases without anything to count. */
const STEPS: readonly Shown[] = ['prepare', 'finish', 'switch'];

export const describePhase = (phase: Progress['phase'], at: number): string =>
  at === 0 ? WORDS[phase] : `${WORDS[phase]}, after ${at}`;

/** Milliseconds between two lines of a phase. */
const EVERY = 1000;
/** Milliseconds after which a rate says something about the rest. */
const KNOWN_AFTER = 2000;

const durationText = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;

/** Writes progress at most once a second: what is done, of how much, and how long the rest will take. */
export function importProgress(
  write: (line: string) => void = note,
  now: () => number = () => performance.now(),
): (progress: Omit<Progress, 'phase'> & { readonly phase: Shown }) => void {
  let phase: Shown | null = null;
  let began = 0;
  let reached = 0;
  let first = 0;
  let last = Number.NEGATIVE_INFINITY;
  /** What was not written because it came too early. */
  let waiting: string | null = null;
  return (progress) => {
    const { at, total, share } = progress;
    if (progress.phase !== phase) {
      if (waiting !== null) write(waiting);
      phase = progress.phase;
      began = now();
      first = share ?? 0;
      last = Number.NEGATIVE_INFINITY;
      waiting = null;
      reached = 0;
      if (STEPS.includes(phase) && total !== 0) write(WORDS[phase]);
    }
    if (at === reached || total === 0 || STEPS.includes(phase)) return;
    reached = at;
    const of = total === null ? '' : ` of ${total}`;
    // The last part of an archive is read long before it is processed.
    const percent =
      share === null || (share === 1 && total === null) ? '' : ` (${Math.floor(share * 100)} %)`;
    waiting = `${WORDS[phase]}: ${at}${of}${percent}`;
    if (now() - last < EVERY) return;
    last = now();
    write(`${waiting}${rest(share, last - began)}`);
    waiting = null;
  };

  /** How long the rest will take at the rate so far. */
  function rest(share: number | null, elapsed: number): string {
    if (share === null || share <= first || elapsed < KNOWN_AFTER) return '';
    const left = ((1 - share) * elapsed) / (share - first) / 1000;
    return left < 1 ? '' : `, about ${durationText(left)} left`;
  }
}
