import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './compiled.js';

/** What an engine process prints when it has started, or why it has not. */
export interface Started {
  readonly uri?: string;
  readonly owned?: boolean;
  readonly error?: string;
  readonly child: ChildProcess;
}

const PROGRAM = compiled('test/support/engine-process.ts');

/** Starts an engine process on a folder; `shell` prepends limits. */
export function startProcess(dataDir: string, shell?: string): Promise<Started> {
  const args = [PROGRAM, dataDir];
  const child =
    shell === undefined
      ? spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn('/bin/bash', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
        });
  return new Promise((resolve, reject) => {
    let out = '';
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk;
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk;
      if (out.includes('\n')) resolve({ ...JSON.parse(out.slice(0, out.indexOf('\n'))), child });
    });
    child.once('exit', (code) => reject(new Error(`the engine process ended with ${code}: ${errors}`)));
  });
}

/** Kills a process and waits until it is gone. */
export async function endProcess(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
