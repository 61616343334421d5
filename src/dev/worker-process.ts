import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order, WorkerMessage } from './messages.js';

/** The compiled file, or the source if the sources are run. */
const FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js', import.meta.url),
);

/** A worker process as its parent sees it. */
export interface WorkerProcess {
  send(order: Order): void;
  /** Sets the listener for its messages. */
  onReport(listener: (report: WorkerMessage) => void): void;
  /** Resolves when its modules are loaded. */
  readonly warm: Promise<void>;
  /** The exit code; null if it was killed. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

export function startWorker(root: string): WorkerProcess {
  const child: ChildProcess = fork(FILE, [], { cwd: root, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let listener: (report: WorkerMessage) => void = () => undefined;
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
  child.on('message', (report: WorkerMessage) => (report.is === 'warm' ? isWarm() : listener(report)));
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
