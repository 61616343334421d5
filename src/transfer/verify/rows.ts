import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import type { ContentType, Status } from '../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { storedEntries } from '../../store/transfer/import-entries.js';
import type { Import } from '../run/context.js';
import { type EntryRow, type PlaceRow, statusesOfRow } from '../run/rows.js';
import { readStored, storedKey } from '../run/stored.js';
import {
  type Comparison,
  compareFields,
  type Discrepancy,
  holderOfRow,
  type InverseLink,
  type Version,
} from './compare.js';
import type { Expected, ExpectedFields, ExpectedRow } from './expected.js';
import { compareInverse } from './inverse.js';
import { Reported } from './reported.js';

/** Compares some rows with their stored versions; each text says what differs, and where. */
export async function verifyRows(run: Import, rows: readonly ExpectedRow[]): Promise<readonly string[]> {
  const batch = await readBatch(run, rows);
  const { verified } = run.state.tally;
  const differing = await compareRows({ run, batch, counted: verified, reported: new Reported([]) }, rows);
  verified.entries += rows.length;
  if (differing.size === 0) return [];
  // Few rows differ, so the report is searched only for those.
  const keys = [...differing.values()].flat().flatMap((difference) => difference.keys);
  const reported = await Reported.about(run.staging, keys);
  const counted = { values: 0, links: 0 };
  const left = await compareRows({ run, batch, counted, reported }, [...differing.keys()]);
  return [...left.values()].flat().map(({ text }) => text);
}

/** What the rows of a batch are compared with. */
interface Batch {
  /** Where the import placed these rows and those that they refer to. */
  readonly placed: ReadonlyMap<string, EntryRow>;
  /** By `storedKey`. */
  readonly stored: ReadonlyMap<string, Entry>;
  /** The first row that was found in each place. */
  readonly claims: ReadonlyMap<string, PlaceRow>;
}

const targetsOf = (fields: ExpectedFields): readonly string[] =>
  [...fields.values()].flatMap((expected: Expected) => {
    if (expected.kind === 'links') return expected.to.map(({ key }) => key);
    return expected.kind === 'items' ? expected.items.flatMap((item) => targetsOf(item.fields)) : [];
  });

/** The versions in which a row is to be stored. */
function versionsIn({ schema }: Import, placed: Batch['placed'], row: ExpectedRow): readonly Version[] {
  const type = schema.contentTypes.get(row.uid);
  const documentId = placed.get(row.key)?.documentId;
  if (!type || !documentId) return [];
  return statusesOfRow(type, row).map((status, at) => {
    const place = placeIn(type, row, documentId, status);
    return { ...place, row, type, documentId, copy: at > 0 };
  });
}

/** Where a version of a document is stored. */
function placeIn(type: ContentType, { locale }: ExpectedRow, documentId: string, status: Status) {
  const collection = collectionName(type, status);
  return { collection, key: storedKey(collection, documentId, type.localized ? locale : null) };
}

async function readBatch(run: Import, rows: readonly ExpectedRow[]): Promise<Batch> {
  const { staging, store } = run;
  const keys = rows.flatMap(({ key, siblings, fields }) => [key, ...siblings, ...targetsOf(fields)]);
  const placed = await staging.find<EntryRow>('rows', [...new Set(keys)]);
  const versions = rows.flatMap((row) => versionsIn(run, placed, row));
  const all = versions.flatMap(({ row, type, documentId }) =>
    statusesOf(type).map((status) => ({ ...placeIn(type, row, documentId, status), documentId })),
  );
  const stored = await readStored(all, (name, ids) => storedEntries(store.db, name, ids));
  const wanted = versions.map(({ key, row }): PlaceRow => ({ _id: key, row: row.key }));
  await staging.add('verified', wanted);
  const claims = await staging.find<PlaceRow>(
    'verified',
    wanted.map(({ _id }) => _id),
  );
  return { placed, stored, claims };
}

interface Work {
  readonly run: Import;
  readonly batch: Batch;
  readonly counted: Comparison['counted'];
  readonly reported: Reported;
}

/** The rows that differ. */
async function compareRows(
  work: Work,
  rows: readonly ExpectedRow[],
): Promise<ReadonlyMap<ExpectedRow, readonly Discrepancy[]>> {
  const found = new Map<ExpectedRow, readonly Discrepancy[]>();
  const inverse: (readonly [Comparison, InverseLink])[] = [];
  for (const row of rows) {
    const differences: Discrepancy[] = [];
    for (const check of compareRow(work, row, differences))
      inverse.push(...check.inverse.map((link) => [check, link] as const));
    found.set(row, differences);
  }
  await compareInverse(work.run, inverse);
  return new Map([...found].filter(([, differences]) => differences.length > 0));
}

/** Compares all versions of a row. */
function compareRow(
  { run, batch, counted, reported }: Work,
  row: ExpectedRow,
  differences: Discrepancy[],
): readonly Comparison[] {
  const { placed, stored, claims } = batch;
  const versions = versionsIn(run, placed, row);
  const keys = [
    row.key,
    row.uid,
    ...versions.slice(0, 1).map(({ documentId }) => `${row.uid} ${documentId}`),
  ];
  const differ = (text: string): void => {
    differences.push({ text, keys });
  };
  if (versions.length === 0 && reported.onRow(keys) !== 'lost') differ(`${row.key} is not stored`);
  for (const key of elsewhere(row, placed))
    if (reported.onRow([...keys, key]) === null)
      differences.push({
        text: `${row.key} is not stored as one document with ${key}`,
        keys: [...keys, key],
      });
  return versions.flatMap((version): readonly Comparison[] => {
    const { collection, key } = version;
    const entry = stored.get(key);
    const holder = claims.get(key)?.row;
    if (holder !== row.key) {
      differ(`${row.key} is stored in ${collection} in place of ${holder}`);
      return [];
    }
    if (!entry) {
      if (reported.onRow(keys) !== 'lost') differ(`${row.key} is not in ${collection}`);
      return [];
    }
    const whole = { ...version, stored: entry };
    if (!version.copy && row.id !== null && row.id > (run.state.base[row.uid] ?? 0) && entry['id'] !== row.id)
      differ(`${row.key} in ${collection} id: it is stored as ${String(entry['id'])}`);
    const check: Comparison = {
      schema: run.schema,
      defaultLocale: run.state.defaultLocale ?? run.defaultLocale,
      placed,
      reported,
      whole,
      counted,
      differences,
      inverse: [],
    };
    compareFields(check, row.fields, holderOfRow(whole));
    return [check];
  });
}

/** Accounts and roles may be those of the same name that are there already. */
const BY_NAME = [ROLE_UID, USER_UID];

/** The document and the other locales of a row with which it should be stored, but is not. */
function elsewhere(row: ExpectedRow, placed: Batch['placed']): readonly string[] {
  const documentId = placed.get(row.key)?.documentId;
  if (!documentId) return [];
  const isOther = row.documentId !== null && row.documentId !== documentId && !BY_NAME.includes(row.uid);
  const siblings = row.siblings.filter((key) => (placed.get(key)?.documentId ?? documentId) !== documentId);
  return [...(isOther ? [`${row.uid} ${row.documentId}`] : []), ...siblings];
}
