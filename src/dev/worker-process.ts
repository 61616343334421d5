import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order, Report } from './messages.js';

/** Compiled, or as it is where the sources are run. */
const FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js', import.meta.url),
);

/** A worker as the process that starts it sees it. */
export interface WorkerProcess {
  send(order: Order): void;
  /** Whoever hears what it tells from now on. */
  onReport(listener: (report: Report) => void): void;
  /** Its modules are loaded. */
  readonly warm: Promise<void>;
  /** The exit code; null where it was killed. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

export function startWorker(root: string): WorkerProcess {
  const child: ChildProcess = fork(FILE, [], { cwd: root, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let listener: (report: Report) => void = () => undefined;
  let isWarm = (): void => undefined;
  const warm = new Promise<void>((resolve) => {
    isWarm = resolve;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      isWarm();
      resolve(code);
    });
    child.once('error', () => resolve(null));
  });
  child.on('message', (report: Report) => (report.is === 'warm' ? isWarm() : listener(report)));
  return {
    send: (order) => {
      if (child.connected) child.send(order, () => undefined);
    },
    onReport: (given) => {
      listener = given;
    },
    warm,
    ended,
    kill: () => child.kill('SIGKILL'),
  };
}
