import { ROLE_UID } from '../../schema/uids.js';
import { eachStagedBatch } from '../run/batches.js';
import { type Import, leaveLinkOut } from '../run/context.js';
import {
  type EntryRow,
  type ItemRow,
  type LinkRow,
  parseRowKey,
  rowKey,
  type StagedRows,
} from '../run/rows.js';
import { lost } from '../source/types.js';

/** Reports the links and permissions that belong to nothing. */
export async function checkLinks(run: Import): Promise<void> {
  if (run.state.at === 0) await checkGrants(run);
  await checkOwners(run);
}

/** Permissions of roles that the source does not have. */
async function checkGrants({ staging, report }: Import): Promise<void> {
  for await (const grants of staging.batches<StagedRows['grants']>('grants')) {
    const keyIn = ({ role }: StagedRows['grants']): string => rowKey({ uid: ROLE_UID, ref: role });
    const roles = await staging.find<EntryRow>('rows', [...new Set(grants.map(keyIn))]);
    for (const grant of grants)
      if (!roles.has(keyIn(grant)))
        report(lost('role', keyIn(grant), `${grant.action} is not granted: the source has no such role`));
  }
}

/**
 * Reports the links whose owner is missing: an entry that is not in the source, or a component item in no
 * entry.
 */
const checkOwners = (run: Import): Promise<void> =>
  eachStagedBatch<LinkRow>(run, { name: 'links' }, async (links) => {
    const { staging, schema } = run;
    const holders = [...new Set(links.map(({ from }) => from))];
    const isEntry = (key: string): boolean => schema.contentTypes.get(parseRowKey(key).uid) !== undefined;
    const isItem = (key: string): boolean => !isEntry(key);
    const rows = await staging.find<EntryRow>('rows', holders.filter(isEntry));
    const items = await staging.find<ItemRow>('items', holders.filter(isItem));
    for (const { from, field, to } of links)
      if (!rows.has(from) && !items.has(from)) {
        const why = isEntry(from) ? `${from} is not in the source` : `no entry contains ${from}`;
        leaveLinkOut(run, `${from} ${field} → ${to}`, why);
      }
  });
