import { Option } from 'commander';
import { examineClaims } from '../../documents/claims/examine-claims.js';
import { examine } from '../../store/doctor/doctor.js';
import { eventData, note, table } from '../../terminal/output.js';
import { integer } from '../arguments.js';
import { type CommandLine, command } from '../command.js';
import { withStore } from '../with-store.js';

/** After how many compared claims and entries the progress is printed. */
const PROGRESS = 10_000;

/** `mangrove doctor`: inspects a live deployment and gives advice. */
export const doctor = command({
  name: 'doctor',
  does: 'inspect the live database and say what to do; exit code 1 if something is wrong',
  options: [
    new Option('--entries <number>', 'compare at most so many entries of each collection with their claims')
      .default(100_000)
      .argParser(integer(1, 999_999_999)),
  ],
  help: `
It checks the version and the topology, sharded types, indexes, references without a target, writes interrupted by a crash,
claims on unique values and one-to-one targets, routes of a Strapi project that answer 501, and slow reads. It changes nothing, except that the next start searches a type
again whose entries lack claims.`,
  async run({ root, options }: CommandLine<{ readonly entries: number }>) {
    let compared = 0;
    const onBatch = (count: number): void => {
      compared += count;
      if (Math.floor(compared / PROGRESS) > Math.floor((compared - count) / PROGRESS))
        note(`claims: ${compared} compared`);
    };
    const findings = await withStore(root, ({ store, schema }) =>
      examine(store, schema, null, {
        claims: () => examineClaims(store, schema, { limit: options.entries, onBatch }),
      }),
    );
    const rows = findings.map(({ about, level, text, advice }) => [
      level,
      about,
      advice === null ? text : `${text}. ${advice}`,
    ]);
    return {
      data: findings.map(({ event, ...finding }) => ({ ...finding, ...eventData(event) })),
      text: table(['', 'about', 'finding'], rows),
      failed: findings.some(({ level }) => level === 'problem'),
    };
  },
});
