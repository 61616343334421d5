import { PERMISSION_UID, ROLE_UID } from '../../schema/uids.js';
import { listLocales } from '../../store/locales.js';
import { objectAt } from '../../values/plain-object.js';
import type { Import } from '../run/context.js';
import { parseRowKey } from '../run/rows.js';
import { wantsType } from '../source/selection.js';
import { grantFindings, privacyFindings, settingFindings, webhookFinding } from './access.js';
import type { ArchiveHead } from './archive-head.js';
import type { RawLink } from './archive-lines.js';
import { type CheckedItem, expectedKey } from './expected.js';

/** Locales, permissions, settings, private attributes, and links whose holder is in no row. */
export async function* archiveOthers(run: Import, head: ArchiveHead): AsyncGenerator<CheckedItem> {
  const { store, selection } = run;
  if (selection.parts.includes('content') || selection.parts.includes('config')) {
    const codes = new Set((await listLocales(store)).map(({ code }) => code));
    for (const code of head.locales)
      yield { at: `locale ${code}`, missing: codes.has(code) ? null : 'it is not stored' };
  }
  if (wantsType(selection, ROLE_UID)) yield* grants(run, head);
  if (selection.parts.includes('config')) yield* settings(run, head);
  for (const [uid, names] of head.hidden) yield* privacyFindings(run, uid, names);
  yield* heldByNone(run);
}

async function* grants(
  run: Import,
  { roles, roleRows, permissions }: ArchiveHead,
): AsyncGenerator<CheckedItem> {
  const all = [...permissions].map(([id, action]) => ({
    at: expectedKey(PERMISSION_UID, id),
    role: roles.get(id) ?? '',
    action,
    name: null,
  }));
  yield* grantFindings(run, roleRows, all);
}

async function* settings(run: Import, { lines }: ArchiveHead): AsyncGenerator<CheckedItem> {
  for (const { type, value } of lines) {
    const { key, value: held, name, id } = objectAt({ value }, 'value');
    if (type === 'webhook') yield webhookFinding(`webhook ${String(name ?? id)}`);
    else if (typeof key === 'string') yield* settingFindings(run, key, held);
  }
}

async function* heldByNone({ staging }: Import): AsyncGenerator<CheckedItem> {
  for await (const batch of staging.batches<RawLink>('rawLinks')) {
    const held = await staging.find(
      'rawHolders',
      batch.map(({ holder }) => holder),
    );
    for (const { holder, field, to } of batch) {
      const { uid } = parseRowKey(holder);
      if (!held.has(holder))
        yield { at: `${holder} ${field} → ${to}`, missing: `no row of the source has ${uid}` };
    }
  }
}
