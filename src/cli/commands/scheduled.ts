import { cancelSchedule } from '../../documents/cancel-schedule.js';
import { shownSchedule } from '../../documents/scheduled.js';
import { errors } from '../../errors.js';
import { findSchedules, type StoredSchedule } from '../../store/entries/schedules.js';
import { table } from '../../terminal/output.js';
import { authorText } from '../author-text.js';
import { type CommandLine, command } from '../command.js';
import { contentTypeNamed } from '../type-named.js';
import { withStore } from '../with-store.js';

const shown = (schedule: StoredSchedule) => ({ uid: schedule.uid, ...shownSchedule(schedule) });

const rowOf = ({
  at,
  action,
  uid,
  documentId,
  locale,
  by,
  error,
  _id,
}: StoredSchedule): readonly string[] => [
  at.toISOString(),
  action,
  uid,
  documentId,
  locale ?? '',
  authorText(by),
  error === null ? 'waiting' : `failed: ${error.message}`,
  _id,
];

const list = command({
  name: 'list [type]',
  does: 'list what is scheduled, the next one first, and what has failed',
  help: `
<type> is a uid or a name, such as article.`,
  run: ({ root }: CommandLine<object>, name?: string) =>
    withStore(root, async ({ store, schema }) => {
      const filter = name === undefined ? {} : { uid: contentTypeNamed(schema, name).uid };
      const found = await findSchedules(store.db, filter);
      const heading = ['at', 'action', 'type', 'documentId', 'locale', 'by', 'state', 'id'];
      return { data: found.map(shown), text: table(heading, found.map(rowOf)) };
    }),
});

const cancel = command({
  name: 'cancel <id>',
  does: 'cancel what is scheduled, or forget what has failed',
  options: [['--dry-run', 'only show what would be cancelled']],
  run: ({ root, options: { dryRun = false } }: CommandLine<{ readonly dryRun?: boolean }>, id: string) =>
    withStore(root, async ({ store }) => {
      const [found] = await findSchedules(store.db, { _id: id });
      if (!found || !(dryRun || (await cancelSchedule(store, id))))
        throw errors.missing(
          'not-found',
          `Nothing is scheduled under ${id}; mangrove scheduled list shows it`,
        );
      const what = `${found.action} of ${found.uid} ${found.documentId}`;
      return {
        data: { ...shown(found), ...(dryRun && { dryRun }) },
        notes: [`The ${what} ${dryRun ? 'would be' : 'is'} cancelled.`],
      };
    }),
});

/** `mangrove scheduled`: what is to be published and unpublished. */
export const scheduled = command({
  name: 'scheduled',
  does: 'list and cancel what is to be published or unpublished later',
  commands: [list, cancel],
});
