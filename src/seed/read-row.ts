import type { ContentType, Schema } from '../schema/types.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import { rowOfCells } from './cells.js';
import { SeedError } from './error.js';
import { findType } from './find-type.js';
import type { SeedOptions, SeedRow, SeedSource, SourceRow } from './types.js';

const text = (name: string, value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value !== '') return value;
  throw new SeedError(`${name} must be a string`);
};

const isAttribute = (type: ContentType, name: string): boolean => type.attributes.get(name)?.system === false;

/** Members that say something of the row and are no attributes. */
const SAYING = ['documentId', 'locale', 'status', 'localizations'] as const;

const publishOf = (type: ContentType, status: unknown, draft: boolean): boolean => {
  if (!type.draftAndPublish) return false;
  if (status === undefined) return !draft;
  if (status === 'published' || status === 'draft') return status === 'published';
  throw new SeedError('status must be "draft" or "published"');
};

/** A row read by its type, and what it says in other locales. @throws SeedError where it cannot be read */
export function readRow(
  schema: Schema,
  source: SeedSource,
  row: SourceRow,
  options: SeedOptions,
): readonly SeedRow[] {
  const { place, value, cells } = row;
  if (value instanceof SeedError) throw value;
  const name = options.type ?? row.typeName;
  if (name === null) throw new SeedError('the row does not say its type (--type)');
  const type = findType(schema, name);
  if (!isPlainObject(value)) throw new SeedError('a row must be an object');
  const members = cells ? rowOfCells(schema, type, value) : value;
  const saying: Record<string, unknown> = {};
  const data: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(members)) {
    const says = (SAYING as readonly string[]).includes(key) && !isAttribute(type, key);
    (says ? saying : data)[key] = member;
  }
  const publish = publishOf(type, saying['status'], options.draft ?? false);
  const main: SeedRow = {
    type,
    place,
    data,
    documentId: text('documentId', saying['documentId']),
    locale: text('locale', saying['locale']),
    publish,
    folder: source.folder,
  };
  return [main, ...translations(main, saying['localizations'])];
}

function translations(main: SeedRow, given: unknown): readonly SeedRow[] {
  if (given === undefined || given === null) return [];
  if (!isPlainObject(given))
    throw new SeedError('localizations: an object of rows by locale, such as { "fr": { … } }');
  return Object.entries(given).map(([locale, data]) => {
    if (!isPlainObject(data)) throw new SeedError(`localizations.${locale}: a row must be an object`);
    return { ...main, locale, data: data as PlainObject };
  });
}
