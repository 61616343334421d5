import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { EJSON } from 'bson';
import { readLinks } from '../../documents/relations/stored.js';
import { contentTypeOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model } from '../../schema/types.js';
import { FILE_UID, USER_UID } from '../../schema/uids.js';
import { collectionName } from '../../store/connection/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { storedEntries } from '../../store/transfer/import-entries.js';
import { addTo, inLists } from '../../values/group.js';
import type { PlainObject } from '../../values/plain-object.js';
import type { Import } from '../run/context.js';
import { keyOf, type LinkRow, linksIn, placeOf, type Row, versionsOf } from '../run/rows.js';
import { convert, UNFIT } from '../source/convert.js';
import type { SourceEntry } from '../source/types.js';
import { linksBy } from '../write/entries.js';

const BATCH = 200;

/** Reads everything back from the collections that are served and compares it with the source. Tells every difference. */
export async function verify(run: Import): Promise<void> {
  if (!run.verify || run.dryRun) return;
  run.state.tally.verified = { entries: 0, values: 0, links: 0, files: 0, differences: 0 };
  for await (const batch of inLists(run.source.entries(), BATCH)) {
    await verifyBatch(run, batch);
    run.state.at += batch.length;
    await run.saved();
  }
  if (run.selection.parts.includes('files')) await verifyFiles(run);
}

async function tellDifference({ staging, state }: Import, text: string): Promise<void> {
  const number = state.tally.verified.differences++;
  await staging.add('differences', [{ _id: String(number).padStart(12, '0'), text } as { _id: string }]);
}

/** What is compared of one entry: the source's value and what is stored. */
interface Sight {
  readonly run: Import;
  readonly links: ReadonlyMap<string, readonly LinkRow[]>;
  readonly targets: ReadonlyMap<string, Row>;
  readonly differences: string[];
}

async function verifyBatch(run: Import, entries: readonly SourceEntry[]): Promise<void> {
  const { staging, schema, state } = run;
  const own = await staging.find<Row>('rows', entries.map(keyOf));
  const sight: Sight = { run, ...(await linksBy(run, entries)), differences: [] };
  const stored = await storedOf(run, entries, own);
  for (const entry of entries) {
    const row = own.get(keyOf(entry));
    const type = contentTypeOf(schema, entry.uid);
    if (!row || !type) continue;
    for (const name of collectionsFor(type, row)) {
      const found = stored.get([name, row.documentId, type.localized ? (row.locale ?? '') : ''].join(' '));
      state.tally.verified.entries += 1;
      if (found)
        compare(sight, type, entry.data, { stored: found, holder: row._id, at: `${row._id} in ${name}` });
      else sight.differences.push(`${row._id} is not in ${name}`);
    }
  }
  for (const text of sight.differences) await tellDifference(run, text);
}

const collectionsFor = (type: ContentType, row: Row): readonly string[] =>
  versionsOf(type, row).map((status) => collectionName(type, status));

async function storedOf(
  { store, schema }: Import,
  entries: readonly SourceEntry[],
  own: ReadonlyMap<string, Row>,
): Promise<ReadonlyMap<string, Entry>> {
  const wanted = new Map<string, string[]>();
  for (const entry of entries) {
    const row = own.get(keyOf(entry));
    const type = contentTypeOf(schema, entry.uid);
    if (!row?.documentId || !type) continue;
    for (const name of collectionsFor(type, row)) addTo(wanted, name, row.documentId);
  }
  const found = new Map<string, Entry>();
  for (const [name, ids] of wanted)
    for (const entry of await storedEntries(store.db, name, ids))
      found.set([name, entry['documentId'], entry['locale'] ?? ''].join(' '), entry);
  return found;
}

interface Pair {
  readonly stored: Entry;
  readonly holder: string;
  readonly at: string;
}

function compare(sight: Sight, model: Model, data: PlainObject, pair: Pair): void {
  for (const attribute of model.attributes.values()) {
    if (attribute.system || (attribute.kind === 'relation' && !attribute.owner)) continue;
    if (attribute.kind === 'relation' || attribute.kind === 'media') compareLinks(sight, attribute, pair);
    else if (attribute.kind === 'scalar') compareValue(sight, attribute, data[attribute.name], pair);
    else compareItems(sight, attribute, data[attribute.name], pair);
  }
}

/** Codes and addresses are stored in another form on purpose. */
const OTHERWISE = new Set(['resetPasswordToken', 'confirmationToken', 'email']);

function compareValue(
  { run, differences }: Sight,
  { name, type }: Extract<Attribute, { kind: 'scalar' }>,
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

function compareItems(
  sight: Sight,
  attribute: Extract<Attribute, { kind: 'component' | 'zone' }>,
  given: unknown,
  { stored, at }: Pair,
): void {
  const uidOf = (item: PlainObject): string =>
    attribute.kind === 'component' ? attribute.component : String(item['__component']);
  const listed = (value: unknown): Entry[] =>
    (Array.isArray(value) ? value : [value]).filter(
      (item): item is Entry => typeof item === 'object' && item !== null,
    );
  const allowed = (item: PlainObject): boolean =>
    sight.run.schema.components.has(uidOf(item)) &&
    (attribute.kind === 'component' || attribute.components.includes(uidOf(item)));
  const wanted = listed(given).filter(allowed);
  const found = listed(stored[attribute.name]);
  if (wanted.length !== found.length) {
    sight.differences.push(`${at} ${attribute.name}: ${wanted.length} items, ${found.length} are stored`);
    return;
  }
  wanted.forEach((item, place) => {
    const model = sight.run.schema.components.get(uidOf(item));
    const other = found[place];
    if (!model || !other) return;
    const holder = keyOf({ uid: model.uid, ref: String(item['id'] ?? '') });
    compare(sight, model, item, { stored: other, holder, at: `${at} ${attribute.name}[${place}]` });
  });
}

function compareLinks(
  { run, links, targets, differences }: Sight,
  attribute: Extract<Attribute, { kind: 'relation' | 'media' }>,
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
  for await (const part of bytes) hash.update(part as Buffer);
  return hash.digest('hex');
};

async function verifyFiles(run: Import): Promise<void> {
  for await (const { key, bytes } of run.source.files()) {
    const wanted = await digestOf(bytes);
    const blob = await run.provider.find(key);
    run.state.tally.verified.files += 1;
    if (!blob) await tellDifference(run, `${key} has no bytes`);
    else if ((await digestOf(blob.read())) !== wanted) await tellDifference(run, `${key} has other bytes`);
  }
}
