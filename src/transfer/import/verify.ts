import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { EJSON } from 'bson';
import type { ItemsAttribute } from '../../documents/plan/items.js';
import { readLinks } from '../../documents/relations/stored-links.js';
import type { MediaAttribute, Model, RelationAttribute, ScalarAttribute } from '../../schema/types.js';
import { FILE_UID, USER_UID } from '../../schema/uids.js';
import { collectionName } from '../../store/connection/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { storedEntries } from '../../store/transfer/import-entries.js';
import { inLists } from '../../values/group.js';
import { isObject, type PlainObject } from '../../values/plain-object.js';
import type { Import } from '../run/context.js';
import { keyOf, type LinkRow, linksIn, placeOf, type Row, versionsOf } from '../run/rows.js';
import { readStored, storedKey } from '../run/stored.js';
import { convert, UNFIT } from '../source/convert.js';
import type { SourceEntry } from '../source/types.js';
import { fittingComponent } from '../write/build.js';
import { linksBy } from '../write/entries.js';
import type { StoredDifference } from './report.js';

const BATCH = 200;

/**
 * Reads everything back from the live collections, compares it with the source and reports every difference.
 */
export async function verify(run: Import): Promise<void> {
  if (!run.verify || run.dryRun) return;
  run.state.tally.verified = { entries: 0, values: 0, links: 0, files: 0, differences: 0 };
  for await (const batch of inLists(run.source.entries(), BATCH)) {
    await verifyBatch(run, batch);
    await run.saved(run.state.at + batch.length);
  }
  if (run.selection.parts.includes('files')) await verifyFiles(run);
}

async function reportDifference({ staging, state }: Import, text: string): Promise<void> {
  const number = state.tally.verified.differences++;
  const row: StoredDifference = { _id: String(number).padStart(12, '0'), text };
  await staging.add('differences', [row]);
}

/** One entry being compared: its stored form and its links in the source. */
interface Check {
  readonly run: Import;
  readonly links: ReadonlyMap<string, readonly LinkRow[]>;
  readonly targets: ReadonlyMap<string, Row>;
  readonly differences: string[];
}

async function verifyBatch(run: Import, entries: readonly SourceEntry[]): Promise<void> {
  const { store, staging, schema, state } = run;
  const own = await staging.find<Row>('rows', entries.map(keyOf));
  const check: Check = { run, ...(await linksBy(run, entries)), differences: [] };
  const wanted = entries.flatMap(({ uid, ref, data }) => {
    const row = own.get(keyOf({ uid, ref }));
    const type = schema.contentTypes.get(uid);
    if (!row?.documentId || !type) return [];
    const { documentId } = row;
    return versionsOf(type, row).map((status) => {
      return { row, type, data, documentId, collection: collectionName(type, status) };
    });
  });
  const stored = await readStored(wanted, (name, ids) => storedEntries(store.db, name, ids));
  for (const { row, type, data, documentId, collection } of wanted) {
    const found = stored.get(storedKey(collection, documentId, type.localized ? row.locale : null));
    const at = `${row._id} in ${collection}`;
    state.tally.verified.entries += 1;
    if (found) compare(check, type, data, { stored: found, holder: row._id, at });
    else check.differences.push(`${row._id} is not in ${collection}`);
  }
  for (const text of check.differences) await reportDifference(run, text);
}

interface Pair {
  readonly stored: Entry;
  readonly holder: string;
  readonly at: string;
}

function compare(check: Check, model: Model, data: PlainObject, pair: Pair): void {
  for (const attribute of model.attributes.values()) {
    if (attribute.system || (attribute.kind === 'relation' && !attribute.owner)) continue;
    if (attribute.kind === 'relation' || attribute.kind === 'media') compareLinks(check, attribute, pair);
    else if (attribute.kind === 'scalar') compareValue(check, attribute, data[attribute.name], pair);
    else compareItems(check, attribute, data[attribute.name], pair);
  }
}

/** Codes and email addresses are deliberately stored in another form. */
const OTHERWISE = new Set(['resetPasswordToken', 'confirmationToken', 'email']);

function compareValue(
  { run, differences }: Check,
  { name, type }: ScalarAttribute,
  given: unknown,
  { stored, at }: Pair,
): void {
  run.state.tally.verified.values += 1;
  const wanted = convert(type, given);
  const text = (value: unknown): string => EJSON.stringify({ value: value ?? null }, { relaxed: false });
  if (text(wanted === UNFIT ? null : wanted) === text(stored[name])) return;
  if (OTHERWISE.has(name) && at.startsWith(USER_UID)) return;
  differences.push(`${at} ${name}: ${text(given)} is stored as ${text(stored[name])}`);
}

function compareItems(check: Check, attribute: ItemsAttribute, given: unknown, { stored, at }: Pair): void {
  const { schema } = check.run;
  const listed = (value: unknown): Entry[] => (Array.isArray(value) ? value : [value]).filter(isObject);
  const wanted = listed(given).flatMap((item) => {
    const model = fittingComponent(schema, attribute, item);
    return model ? [{ item, model }] : [];
  });
  const found = listed(stored[attribute.name]);
  if (wanted.length !== found.length)
    check.differences.push(`${at} ${attribute.name}: ${wanted.length} items, ${found.length} are stored`);
  else
    for (const [place, other] of found.entries()) {
      const { item, model } = wanted[place] ?? {};
      if (!item || !model) continue;
      const holder = keyOf({ uid: model.uid, ref: String(item['id'] ?? '') });
      compare(check, model, item, { stored: other, holder, at: `${at} ${attribute.name}[${place}]` });
    }
}

function compareLinks(
  { run, links, targets, differences }: Check,
  attribute: RelationAttribute | MediaAttribute,
  { stored, holder, at }: Pair,
): void {
  const own = linksIn(links.get(holder) ?? [], attribute.name);
  const wanted = own.flatMap(({ to }) => {
    const documentId = targets.get(to)?.documentId;
    return documentId ? [`${placeOf(to).uid} ${documentId}`] : [];
  });
  const target = attribute.kind === 'media' ? FILE_UID : attribute.target;
  const found = readLinks(stored, attribute).map((link) => `${target ?? link.type} ${link.documentId}`);
  run.state.tally.verified.links += own.length;
  const once = [...new Set(wanted)];
  const expected = attribute.many ? once : once.slice(0, 1);
  if (!isDeepStrictEqual(expected, [...new Set(found)]))
    differences.push(`${at} ${attribute.name}: [${expected.join(', ')}] is stored as [${found.join(', ')}]`);
}

const digestOf = async (bytes: Readable): Promise<string> => {
  const hash = createHash('sha256');
  for await (const part of bytes) hash.update(part);
  return hash.digest('hex');
};

async function verifyFiles(run: Import): Promise<void> {
  for await (const { key, bytes } of run.source.files()) {
    const wanted = await digestOf(bytes);
    const blob = await run.provider.find(key);
    run.state.tally.verified.files += 1;
    if (!blob) await reportDifference(run, `${key} has no bytes`);
    else if ((await digestOf(blob.read())) !== wanted)
      await reportDifference(run, `${key} has different bytes`);
  }
}
