import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The kernel's clock counts hundredths of a second. */
const MS_A_TICK = 10;

const own = (pid: number): number => {
  // What stands behind the name, which is in parentheses and may hold spaces: the 14th and 15th fields are user and system time.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK;
};

const below = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

/** Milliseconds of CPU that a process and those that it has started have used. Linux only; throws where there is none. */
export function cpuOf(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) throw new Error(`no process ${pid} on this machine`);
  return own(pid) + below(pid).reduce((sum, child) => sum + cpuOf(child), 0);
}
