import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A server of the benchmark in a process of its own, so that its CPU time is its own. */
export interface Child {
  /** `http://127.0.0.1:port`, or the address of an engine. */
  readonly address: string;
  /** Milliseconds of CPU that the process has used since it began. */
  cpu(): Promise<number>;
  /** Bytes of memory (RSS) that the process has had at most. */
  peak(): Promise<number>;
  /** Ends the process, by force after `ms` milliseconds if given. */
  stop(ms?: number): Promise<void>;
}

const answer = async <T>(child: ChildProcess): Promise<T> => (await once(child, 'message'))[0] as T;

/** Starts `script` (beside this file); it says its address by `serve` below. */
export const start = async (
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Child> => {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const died = once(child, 'exit').then(() => {
    throw new Error(`${script} ended before it served`);
  });
  const address = await Promise.race([answer<string>(child), died]);
  died.catch(() => undefined);
  const ask = (what: keyof typeof ANSWERS): Promise<number> => {
    child.send(what);
    return answer<number>(child);
  };
  return {
    address,
    cpu: () => ask('cpu'),
    peak: () => ask('peak'),
    stop: async (ms) => {
      child.kill();
      const force = ms === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), ms);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      clearTimeout(force);
    },
  };
};

/** The kernel's own figure where it has one: `maxRSS` counts what the parent had when it forked. */
const peak = (): number => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kilobytes) * 1024;
};

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const ANSWERS = { cpu, peak };

/** In the child: tells the address and answers questions for its CPU time and its memory. */
export const serve = (address: string): void => {
  process.on('message', (what: keyof typeof ANSWERS) => process.send?.(ANSWERS[what]()));
  // Without a parent there is nobody to serve.
  process.on('disconnect', () => process.exit());
  process.send?.(address);
};
