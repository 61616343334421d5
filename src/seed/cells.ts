import { modelOf } from '../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../schema/types.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { SeedError } from './error.js';

/** Between several references or files of one cell. */
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
    throw new SeedError(`${name}: JSON that can be read (${reasonOf(error)})`);
  }
};

const split = (text: string): readonly string[] =>
  text
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** What a cell holds, by its attribute. A string that does not fit is passed on as it is: the attribute's own rule refuses it. */
function valueOfCell(attribute: Attribute, text: string): unknown {
  switch (attribute.kind) {
    case 'scalar': {
      const { type } = attribute;
      if (type === 'json' || type === 'blocks') return json(attribute.name, text);
      if (type === 'boolean') return BOOLEANS[text.trim().toLowerCase()] ?? text;
      if (type !== 'integer' && type !== 'float' && type !== 'decimal') return text;
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

/** Cells of a line, by their headings, as the members of a row. `seo.metaTitle` is an attribute of a component. Empty cells are left out. */
export function rowOfCells(schema: Schema, type: ContentType, cells: PlainObject): PlainObject {
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
