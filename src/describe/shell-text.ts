/** Values as text for mongosh: BSON types as constructors, slots as placeholders. */
import { Slot } from '../pipeline/types.js';

/**
 * `indent`: indentation of the text; `before`: length of what precedes it on its first line. Short values
 * stay on one line.
 */
export function shellText(value: unknown, indent = 0, before = 0): string {
  const flat = inline(value);
  if (flat.length + indent + before <= WIDTH || !isHolder(value)) return flat;
  const pad = ' '.repeat(indent + 2);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => shellText(item, indent + 2))
    : Object.entries(value).map(
        ([key, item]) => `${keyText(key)}: ${shellText(item, indent + 2, key.length + 2)}`,
      );
  return `${open}\n${members.map((member) => pad + member).join(',\n')}\n${' '.repeat(indent)}${close}`;
}

const WIDTH = 100;

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  const scalar = scalarText(value);
  if (scalar !== null) return scalar;
  const members = Object.entries(value as object).map(([key, item]) => `${keyText(key)}: ${inline(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Null for lists and plain objects. */
function scalarText(value: unknown): string | null {
  if (value === undefined) return 'undefined';
  if (value instanceof Date) return `ISODate(${JSON.stringify(value.toISOString())})`;
  if (value instanceof Slot) return slotText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { _bsontype: type } = value as { _bsontype?: string };
  const name = type === undefined ? undefined : CONSTRUCTORS.get(type);
  return name === undefined ? null : `${name}(${JSON.stringify(String(value))})`;
}

const slotText = ({ of }: Slot): string =>
  typeof of === 'number' ? `<ids of semi-join ${of}>` : of === 'page' ? '<ids of the page>' : '<documentId>';

/** The constructors of mongosh for BSON types in a read. */
const CONSTRUCTORS: ReadonlyMap<string, string> = new Map([
  ['Long', 'NumberLong'],
  ['Decimal128', 'NumberDecimal'],
  ['Int32', 'NumberInt'],
  ['ObjectId', 'ObjectId'],
]);

const isHolder = (value: unknown): value is object | readonly unknown[] =>
  typeof value === 'object' && value !== null && scalarText(value) === null;

const keyText = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));
