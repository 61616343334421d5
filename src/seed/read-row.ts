import { modelOf } from '../schema/find.js';
import { isJsonNumberType, isJsonType } from '../schema/scalars/index.js';
import type { Attribute, ContentType, Model, Schema } from '../schema/types.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { SeedError } from './error.js';
import { findType } from './find-type.js';
import type { SeedOptions, SeedRow, SeedSource, SourceRow } from './types.js';

/** Separates several references or files in one cell. */
const BETWEEN = '|';

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  1: true,
  0: false,
  yes: true,
  no: false,
};

const json = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SeedError(`${name}: must be valid JSON (${reasonOf(error)})`);
  }
};

const split = (text: string): readonly string[] =>
  text
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Converts a cell by the type of its attribute. A string that does not fit is passed on unchanged, so that
 * validation refuses it.
 */
function valueOfCell(attribute: Attribute, text: string): unknown {
  switch (attribute.kind) {
    case 'scalar': {
      const { type } = attribute;
      if (isJsonType(type)) return json(attribute.name, text);
      if (type === 'boolean') return BOOLEANS[text.trim().toLowerCase()] ?? text;
      if (!isJsonNumberType(type)) return text;
      const number = Number(text);
      return text.trim() === '' || !Number.isFinite(number) ? text : number;
    }
    case 'relation':
    case 'media':
      return attribute.many ? split(text) : text.trim();
    default:
      return json(attribute.name, text);
  }
}

/**
 * Converts the cells of a line, by heading, to the members of a row. `seo.metaTitle` is an attribute in a
 * component. Empty cells are left out.
 */
function rowOfCells(schema: Schema, type: ContentType, cells: PlainObject): PlainObject {
  const row: Record<string, unknown> = {};
  for (const [heading, text] of Object.entries(cells)) {
    if (typeof text !== 'string' || text === '') continue;
    put(schema, { model: type, row, heading, path: heading.split('.') }, text);
  }
  return row;
}

interface At {
  readonly model: Model;
  readonly row: Record<string, unknown>;
  readonly heading: string;
  readonly path: readonly string[];
}

function put(schema: Schema, { model, row, heading, path }: At, text: string): void {
  const [name = '', ...rest] = path;
  const attribute = model.attributes.get(name);
  if (rest.length === 0) {
    row[name] = attribute && !attribute.system ? valueOfCell(attribute, text) : text;
    return;
  }
  const component =
    attribute?.kind === 'component' && !attribute.many ? modelOf(schema, attribute.component) : undefined;
  if (!component) throw new SeedError(`${heading}: ${name} is not a single component`);
  const inner = row[name];
  const next = isPlainObject(inner) ? inner : {};
  row[name] = next;
  put(schema, { model: component, row: next, heading, path: rest }, text);
}

const text = (name: string, value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value !== '') return value;
  throw new SeedError(`${name} must be a string`);
};

const isAttribute = (type: ContentType, name: string): boolean => type.attributes.get(name)?.system === false;

/** Members that describe the row and are not attributes. */
const SAYING: readonly string[] = ['documentId', 'locale', 'status', 'localizations'];

const publishOf = (type: ContentType, status: unknown, draft: boolean): boolean => {
  if (!type.draftAndPublish) return false;
  if (status === undefined) return !draft;
  if (status === 'published' || status === 'draft') return status === 'published';
  throw new SeedError('status must be "draft" or "published"');
};

/**
 * Reads a row as a document of its type, followed by its versions in other locales. @throws SeedError if it
 * cannot be read
 */
export function readRow(
  schema: Schema,
  source: SeedSource,
  row: SourceRow,
  options: SeedOptions,
): readonly SeedRow[] {
  const { place, value, cells } = row;
  if (value instanceof SeedError) throw value;
  const name = options.type ?? row.typeName;
  if (name === null) throw new SeedError('the row has no type (use --type)');
  const type = findType(schema, name);
  if (!isPlainObject(value)) throw new SeedError('a row must be an object');
  const members = cells ? rowOfCells(schema, type, value) : value;
  const saying: Record<string, unknown> = {};
  const data: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(members)) {
    const says = SAYING.includes(key) && !isAttribute(type, key);
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
    return { ...main, locale, data };
  });
}
