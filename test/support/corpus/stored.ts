/**
 * The corpus' seed as stored entries, with the identifiers of the recordings: for testing reads without writing. Built
 * by the rules of test/conformance/README.md, not by the code that writes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal128, Long } from 'bson';
import { collectionName } from '../../../src/schema/stored/collections.js';
import type { Attribute, ContentType, Model, ScalarType, Schema, Status } from '../../../src/schema/types.js';
import { corpusFolder } from './query.js';

export type StoredEntry = Record<string, unknown>;

type Reference = {
  readonly $doc: string;
  readonly position?: { readonly start?: true; readonly end?: true };
};
type Change =
  | readonly unknown[]
  | {
      readonly set?: readonly Reference[];
      readonly connect?: readonly Reference[];
      readonly disconnect?: readonly Reference[];
    };

interface Operation {
  readonly op: 'create' | 'update' | 'publish' | 'unpublish' | 'discardDraft' | 'delete';
  readonly uid: string;
  readonly ref: string;
  readonly locale?: string;
  readonly status?: Status;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface SeedMap {
  readonly docs: Readonly<Record<string, { documentId: string; ids?: Readonly<Record<string, number>> }>>;
  readonly media: Readonly<Record<string, { id: number; documentId: string }>>;
  readonly users: Readonly<
    Record<string, { id: number; documentId: string; username: string; email: string }>
  >;
}

const read = <Value>(...path: string[]): Value =>
  JSON.parse(readFileSync(join(corpusFolder, 'fixture', ...path), 'utf8'));

/** The recordings over SQLite have these identifiers. */
export const seedMap = (): SeedMap => read<SeedMap>('seed-map.sqlite.json');

const CASTS: Partial<Record<ScalarType, (value: unknown) => unknown>> = {
  biginteger: (value) => Long.fromString(String(value)),
  decimal: (value) => Decimal128.fromString(String(value)),
  datetime: (value) => new Date(String(value)),
  timestamp: (value) => new Date(String(value)),
  time: (value) => `${String(value)}.000`.slice(0, 12),
};

/** Entries by collection. */
export function storedCorpus(schema: Schema): Map<string, StoredEntry[]> {
  const map = seedMap();
  const rows = new Map<string, StoredEntry>();
  let componentId = 0;
  let order = 0;
  let clock = Date.UTC(2026, 10, 21);

  const reference = (value: unknown): unknown => {
    const { $doc, $media } = (value ?? {}) as { $doc?: string; $media?: string };
    if ($doc !== undefined) return map.docs[$doc]?.documentId ?? null;
    return $media === undefined ? null : (map.media[$media]?.documentId ?? null);
  };
  const stored = (attribute: Attribute, value: unknown, before: readonly unknown[]): unknown => {
    if (value === null || value === undefined)
      return attribute.kind === 'zone' || ('many' in attribute && attribute.many) ? [] : null;
    if (attribute.kind === 'scalar') return (CASTS[attribute.type] ?? ((same: unknown) => same))(value);
    if (attribute.kind === 'component') {
      const model = schema.components.get(attribute.component);
      if (!model) throw new Error(attribute.component);
      return attribute.many
        ? (value as StoredEntry[]).map((item) => values(model, item, true))
        : values(model, value as StoredEntry, true);
    }
    if (attribute.kind === 'zone')
      return (value as StoredEntry[]).map((item) => {
        const model = schema.components.get(String(item['__component']));
        return { __component: item['__component'], ...(model ? values(model, item, true) : {}) };
      });
    if (!attribute.many) return reference(value);
    return [...new Set(connected(value as Change, before))];
  };
  /** A list of references, or changes to the previous one. */
  const connected = (value: Change, before: readonly unknown[]): readonly unknown[] => {
    if (Array.isArray(value)) return value.map(reference);
    const change = value as Exclude<Change, readonly unknown[]>;
    if (change.set) return change.set.map(reference);
    const gone = new Set((change.disconnect ?? []).map(reference));
    const list = before.filter((each) => !gone.has(each));
    for (const item of change.connect ?? []) {
      const target = reference(item);
      if (item.position?.start) list.unshift(target);
      else list.push(target);
    }
    return list;
  };
  const values = (
    model: Model,
    data: Readonly<Record<string, unknown>>,
    create: boolean,
    before: StoredEntry = {},
  ): StoredEntry => {
    const entry: StoredEntry = model.modelType === 'component' ? { id: ++componentId } : {};
    for (const attribute of model.attributes.values()) {
      if (attribute.system || (attribute.kind === 'relation' && !attribute.owner)) continue;
      const { name } = attribute;
      if (!(name in data) && !create) continue;
      const fallback = attribute.kind === 'scalar' ? attribute.default : undefined;
      const old = before[name];
      entry[name] = stored(attribute, name in data ? data[name] : fallback, Array.isArray(old) ? old : []);
    }
    return entry;
  };
  const keyOf = (type: ContentType, ref: string, locale: string | null, status: Status): string =>
    [type.uid, ref, locale, type.draftAndPublish ? status : 'published'].join('|');
  const idOf = (type: ContentType, ref: string, locale: string | null, status: Status): number => {
    const version = type.draftAndPublish ? status : 'id';
    return map.docs[ref]?.ids?.[locale === null ? version : `${version}:${locale}`] ?? 900_000 + ++order;
  };
  const renewed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renewed);
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renewed(item)]));
    return typeof copy['id'] === 'number' ? { ...copy, id: ++componentId } : copy;
  };
  const share = (type: ContentType, ref: string, from: StoredEntry, status: Status): void => {
    if (!type.localized) return;
    for (const [key, row] of rows) {
      if (!key.startsWith(`${type.uid}|${ref}|`) || !key.endsWith(status) || row === from) continue;
      for (const { name, localized, system } of type.attributes.values())
        if (!localized && !system && name in from) row[name] = renewed(from[name]);
    }
  };
  /** What inverse sides store: an increasing number for each new reference. */
  const link = (type: ContentType, row: StoredEntry, before: StoredEntry | undefined): void => {
    for (const attribute of type.attributes.values()) {
      if (attribute.kind !== 'relation' || attribute.inversedBy === null || !attribute.owner) continue;
      const { name } = attribute;
      const links = (row['_links'] ?? {}) as Record<string, { order: number[] }>;
      const known = (before?.['_links'] as typeof links | undefined)?.[name]?.order ?? [];
      const list = (entry: StoredEntry | undefined): unknown[] => {
        const value = entry?.[name] ?? [];
        return Array.isArray(value) ? value : [value];
      };
      const places = list(row).map((target) => known[list(before).indexOf(target)] ?? ++order);
      if (places.length > 0) row['_links'] = { ...links, [name]: { order: places } };
      if (attribute.relation === 'oneToOne' && row[name] !== null)
        for (const [key, other] of rows)
          if (
            key.startsWith(type.uid) &&
            other['documentId'] !== row['documentId'] &&
            other[name] === row[name]
          )
            if (key.split('|')[3] === (row['publishedAt'] === null ? 'draft' : 'published'))
              other[name] = null;
    }
  };

  const publish = (type: ContentType, ref: string, locale: string | null): void => {
    const draft = rows.get(keyOf(type, ref, locale, 'draft'));
    if (!draft) return;
    const copy = renewed(
      Object.fromEntries(Object.entries(draft).filter(([key]) => key !== '_links')),
    ) as StoredEntry;
    const links = draft['_links'];
    const entry: StoredEntry = {
      ...copy,
      ...(links ? { _links: links } : {}),
      id: idOf(type, ref, locale, 'published'),
      publishedAt: new Date(++clock),
    };
    rows.set(keyOf(type, ref, locale, 'published'), entry);
    link(type, entry, draft);
    share(type, ref, entry, 'published');
  };
  const write = ({ op, uid, ref, locale: given, status, data = {} }: Operation): void => {
    const type = schema.contentTypes.get(uid);
    if (!type) throw new Error(uid);
    const locale = type.localized ? (given ?? 'en') : null;
    const key = keyOf(type, ref, locale, 'draft');
    const published = keyOf(type, ref, locale, 'published');
    if (op === 'publish') publish(type, ref, locale);
    if (op === 'unpublish') rows.delete(published);
    if (op === 'delete') {
      rows.delete(key);
      rows.delete(published);
    }
    if (op === 'discardDraft') {
      const source = rows.get(published);
      if (source) rows.set(key, { ...source, id: idOf(type, ref, locale, 'draft'), publishedAt: null });
    }
    if (op !== 'create' && op !== 'update') return;
    const before = rows.get(key);
    const now = new Date(++clock);
    const shared = [...rows].find(
      ([other]) => other.startsWith(`${uid}|${ref}|`) && other.endsWith('draft'),
    )?.[1];
    const inherited = before
      ? {}
      : Object.fromEntries(
          [...type.attributes.values()]
            .filter(
              ({ localized, system, name }) =>
                type.localized && !localized && !system && shared && name in shared,
            )
            .map(({ name }) => [name, renewed(shared?.[name])]),
        );
    const row: StoredEntry = {
      ...(before ?? {
        id: idOf(type, ref, locale, 'draft'),
        documentId: map.docs[ref]?.documentId ?? `gone-${ref}`,
        locale,
        createdAt: now,
        createdBy: null,
        updatedBy: null,
        ...values(type, {}, true),
      }),
      ...inherited,
      ...values(type, data, false, before),
      updatedAt: now,
      publishedAt: type.draftAndPublish ? null : now,
    };
    rows.set(key, row);
    link(type, row, before);
    share(type, ref, row, 'draft');
    connectInverse(type, data, row['documentId'], status);
    if (type.draftAndPublish && status === 'published') publish(type, ref, locale);
  };
  /** What is connected from the inverse side is written to the owning one. */
  const connectInverse = (
    type: ContentType,
    data: Readonly<Record<string, unknown>>,
    documentId: unknown,
    status: Status | undefined,
  ): void => {
    for (const attribute of type.attributes.values()) {
      if (attribute.kind !== 'relation' || attribute.owner || !(attribute.name in data)) continue;
      const owner = attribute.mappedBy ?? '';
      const { connect = [] } = data[attribute.name] as { connect?: readonly Reference[] };
      for (const item of connect) {
        const place = item.position?.start ? -++order : ++order;
        for (const [key, row] of rows) {
          if (row['documentId'] !== reference(item) || !key.startsWith(String(attribute.target))) continue;
          if (type.draftAndPublish && key.endsWith('published') && status !== 'published') continue;
          const list = row[owner];
          const links = (row['_links'] ?? {}) as Record<string, { order: number[] }>;
          const before = Array.isArray(list) ? (links[owner]?.order ?? []) : [];
          row[owner] = Array.isArray(list) ? [...list, documentId] : documentId;
          row['_links'] = { ...links, [owner]: { order: [...before, place] } };
        }
      }
    }
  };
  for (const operation of read<Operation[]>('seed', 'entries.json')) write(operation);

  const collections = new Map<string, StoredEntry[]>();
  const add = (uid: string, status: Status, entry: StoredEntry): void => {
    const type = schema.contentTypes.get(uid);
    if (!type) throw new Error(uid);
    const name = collectionName(type, status);
    collections.set(name, [...(collections.get(name) ?? []), entry]);
  };
  for (const [key, entry] of rows) {
    const [uid = '', , , status] = key.split('|');
    add(uid, status as Status, entry);
  }
  const system = {
    locale: null,
    createdAt: new Date(clock),
    updatedAt: new Date(clock),
    publishedAt: new Date(clock),
  };
  const media = read<{ ref: string; file: string; alternativeText: string; caption: string | null }[]>(
    'seed',
    'media.json',
  );
  for (const { ref, file, alternativeText, caption } of media) {
    const ext = /\.[^.]+$/.exec(file)?.[0] ?? '';
    const image = ext === '.png';
    const png = readFileSync(join(corpusFolder, 'fixture', 'seed', 'media', file));
    const mimes: Record<string, string> = {
      '.png': 'image/png',
      '.txt': 'text/plain',
      '.json': 'application/json',
    };
    add('plugin::upload.file', 'published', {
      ...map.media[ref],
      ...system,
      name: file,
      alternativeText: alternativeText ?? null,
      caption: caption ?? null,
      focalPoint: null,
      width: image ? png.readUInt32BE(16) : null,
      height: image ? png.readUInt32BE(20) : null,
      formats: image ? formatsOf(png.readUInt32BE(16), png.readUInt32BE(20), file, ref) : null,
      hash: `h_${ref}`,
      ext,
      mime: mimes[ext] ?? 'text/plain',
      size: 0.27,
      url: `/uploads/h_${ref}${ext}`,
      previewUrl: null,
      provider: 'local',
      provider_metadata: null,
    });
  }
  for (const user of Object.values(map.users))
    add('plugin::users-permissions.user', 'published', {
      ...user,
      ...system,
      provider: 'local',
      confirmed: true,
      blocked: false,
    });
  return collections;
}

/** Rules I.2: a thumbnail within 245 × 156, and a small format 500 wide. */
function formatsOf(width: number, height: number, file: string, ref: string): StoredEntry | null {
  const format = (name: string, w: number, h: number): StoredEntry => ({
    name: `${name}_${file}`,
    hash: `${name}_h_${ref}`,
    ext: '.png',
    mime: 'image/png',
    path: null,
    width: w,
    height: h,
    size: 1,
    sizeInBytes: 1000,
    url: `/uploads/${name}_h_${ref}.png`,
  });
  if (width <= 245 && height <= 156) return null;
  const scale = Math.min(245 / width, 156 / height);
  const thumbnail = format('thumbnail', Math.round(width * scale), Math.round(height * scale));
  return width <= 500
    ? { thumbnail }
    : { thumbnail, small: format('small', 500, Math.round((height * 500) / width)) };
}
