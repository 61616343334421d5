import { examine } from '../../store/doctor/doctor.js';
import { eventData, table } from '../../terminal/output.js';
import { command } from '../command.js';
import { withStore } from '../with-store.js';

/** `mangrove doctor`: inspects a live deployment and gives advice. */
export const doctor = command({
  name: 'doctor',
  does: 'inspect the live database and say what to do; exit code 1 if something is wrong',
  help: `
It checks the version and the topology, sharded types, indexes, references without a target, writes interrupted by a crash
and slow reads. It changes nothing.`,
  async run({ root }) {
    const findings = await withStore(root, ({ store, schema }) => examine(store, schema));
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
