import { runCommandLine } from '../../src/cli/program.js';

/** Runs a command line in this process, and captures its output. */
export const mangrove = async (...args: readonly string[]) => {
  const printed = { stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  const writes = streams.map((name) => process[name].write);
  for (const name of streams)
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += String(text);
      return true;
    };
  try {
    return { status: await runCommandLine(args), ...printed };
  } finally {
    for (const [at, name] of streams.entries()) process[name].write = writes[at] ?? process[name].write;
    process.exitCode = undefined;
  }
};
