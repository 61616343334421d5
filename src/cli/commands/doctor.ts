import type { Command } from 'commander';
import { examine } from '../../store/doctor/doctor.js';
import { EXIT, eventData, print, printJson, table } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { withStore } from '../with-store.js';

/** `mangrove doctor`: what a live deployment is, what it lacks, and what to do. */
export function register(program: Command): void {
  program
    .command('doctor')
    .description('inspect the live database and say what to do; exit code 1 if something is wrong')
    .addHelpText(
      'after',
      `
It checks the version and the topology, sharded types, indexes, references without a target, writes interrupted by a crash
and slow reads. It changes nothing.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { root, json } = globalsOf(command);
      const findings = await withStore(root, ({ store, schema }) => examine(store, schema));
      if (findings.some(({ level }) => level === 'problem')) process.exitCode = EXIT.failed;
      if (json) return printJson(findings.map(({ event, ...told }) => ({ ...told, ...eventData(event) })));
      const rows = findings.map(({ about, level, text, advice }) => [
        level,
        about,
        advice === null ? text : `${text}. ${advice}`,
      ]);
      print(table(['', 'about', 'finding'], rows));
    });
}
