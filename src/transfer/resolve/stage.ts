import { walkAllItems } from '../../documents/plan/items.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import type { Staged } from '../../store/transfer/staging.js';
import { addTo } from '../../values/group.js';
import { remaining } from '../run/batches.js';
import { type Import, leaveLinkOut } from '../run/context.js';
import { rowKey, type StagedRows } from '../run/rows.js';
import { COMPONENTS, entryTally, reached } from '../run/state.js';
import { accountSettingProblems } from '../source/account-settings.js';
import { wantsType } from '../source/selection.js';
import { lost, type SourceEntry, type SourceLink, type SourceRecord } from '../source/types.js';
import { ownedLink } from './owned-link.js';

const BATCH = 1000;

/** Attributes whose value identifies an entry permanently, by uid. */
const NAMES: Readonly<Record<string, string>> = { [ROLE_UID]: 'type', [USER_UID]: 'username' };

/** An import whose records are staged in batches. */
interface Staging extends Import {
  add<K extends keyof StagedRows>(name: K, row: StagedRows[K]): void;
}

/**
 * Reads all records once and stages what is needed to connect them: rows without their values, links,
 * siblings, grants.
 */
export async function stage(run: Import): Promise<void> {
  const { staging } = run;
  await staging.index('links', 'from');
  await staging.index('rows', 'n');
  await staging.index('grants', 'role');
  const batch = new Map<string, Staged[]>();
  let number = run.state.at;
  const flush = async (): Promise<void> => {
    for (const [name, documents] of batch) await staging.add(name, documents);
    batch.clear();
    await run.saved(number);
  };
  const into: Staging = { ...run, add: (name, row) => addTo(batch, name, row) };
  for await (const [n, record] of remaining(run, run.source.records())) {
    stageRecord(into, record, n);
    number = n;
    if (n % BATCH === 0) await flush();
  }
  await flush();
}

function stageRecord(run: Staging, record: SourceRecord, n: number): void {
  const { selection, state } = run;
  const { parts } = selection;
  const takesConfig = parts.includes('config');
  switch (record.kind) {
    case 'entry':
      state.rows += 1;
      stageEntry(run, record.entry);
      break;
    case 'link':
      stageLink(run, record.link, n);
      break;
    case 'siblings': {
      const { uid, refs } = record.pair;
      const [a, b] = refs;
      if (wantsType(selection, uid))
        run.add('pairs', { _id: n, keys: [rowKey({ uid, ref: a }), rowKey({ uid, ref: b })] });
      break;
    }
    case 'grant': {
      const { role, action } = record.grant;
      if (!wantsType(selection, ROLE_UID)) break;
      count(state, 'grants');
      run.add('grants', { _id: `${role} ${action}`, role, action });
      break;
    }
    case 'locale':
      if (!takesConfig && !parts.includes('content')) break;
      count(state, 'locales');
      run.add('locales', { _id: record.locale.code, ...record.locale });
      break;
    case 'defaultLocale':
      state.defaultLocale = record.code;
      break;
    case 'accountSettings':
      if (!takesConfig) break;
      state.accountSettings = record.settings;
      for (const problem of accountSettingProblems(record.settings, run.givenAccountSettings))
        run.report(problem);
      break;
    case 'token':
      if (!takesConfig) break;
      count(state, 'tokens');
      run.add('tokens', { _id: record.token.name, ...record.token });
      break;
    case 'problem':
      if (record.problem.what === 'line') count(state, 'damaged lines');
      if (record.problem.what !== 'setting' || takesConfig) run.report(record.problem);
  }
}

const count = ({ tally }: Import['state'], name: string): void => {
  tally.others[name] = (tally.others[name] ?? 0) + 1;
};

function stageEntry({ schema, selection, state, add, report }: Staging, entry: SourceEntry): void {
  const { uid, documentId, locale, versions } = entry;
  if (!wantsType(selection, uid)) return;
  const tally = entryTally(state, uid);
  tally.read += 1;
  const type = schema.contentTypes.get(uid);
  if (!type) {
    tally.leftOut += 1;
    report(lost('entry', rowKey(entry), `there is no content type ${uid}`));
    return;
  }
  if (entry.id !== null) reached(state, uid, entry.id);
  for (const { item } of walkAllItems(schema, type, entry.data)) {
    count(state, COMPONENTS);
    if (typeof item['id'] === 'number') reached(state, COMPONENTS, item['id']);
  }
  const name = NAMES[uid] === undefined ? undefined : entry.data[NAMES[uid]];
  const named = typeof name === 'string' && { name };
  add('rows', { _id: rowKey(entry), n: state.rows, documentId, locale, versions, ...named });
}

function stageLink(run: Staging, link: SourceLink, n: number): void {
  const { schema, selection, state } = run;
  const holder = schema.contentTypes.get(link.from.uid);
  if (holder ? !wantsType(selection, holder.uid) : !selection.parts.includes('content')) return;
  state.tally.links.read += 1;
  const owned = wantsType(selection, link.to.uid)
    ? ownedLink(schema, link)
    : `${link.to.uid} was not selected`;
  if (typeof owned === 'string') {
    leaveLinkOut(run, `${rowKey(link.from)} ${link.field} → ${rowKey(link.to)}`, owned);
    return;
  }
  const { from, to, inversePosition } = owned;
  if (inversePosition !== null) reached(state, from.uid, inversePosition);
  const side = owned === link ? {} : { fromInverse: true as const };
  run.add('links', { ...owned, ...side, _id: n, from: rowKey(from), to: rowKey(to) });
}
