/** Prints callers' values in messages: never longer than a few lines, whatever was sent. */

/** Maximum characters. */
const MAX_PRINTED = 200;

/** The text, cut to `max` characters. */
export const shorten = (text: string, max: number = MAX_PRINTED): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`;

/** Strings are quoted, numbers and booleans bare; null for values that need JSON. */
const printSimple = (value: unknown): string | null => {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'string') return `"${shorten(value)}"`;
  if (typeof value === 'bigint' || typeof value === 'symbol') return shorten(String(value));
  if (typeof value === 'function') return `[Function ${value.name || 'anonymous'}]`;
  return value instanceof Date ? isoOf(value) : null;
};

const isoOf = (date: Date): string => (Number.isNaN(date.getTime()) ? String(date) : date.toISOString());

/** The JSON form of an object; dates and BSON values have their own. */
const asJson = (value: object): unknown =>
  'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;

interface Printed {
  text: string;
}

/** Appends until the maximum is exceeded. Each level adds characters, which also limits the recursion. */
function appendJson(into: Printed, value: unknown, indent: string): void {
  const simple = printSimple(typeof value === 'object' && value !== null ? asJson(value) : value);
  if (simple !== null || typeof value !== 'object' || value === null) {
    into.text += JSON.stringify(simple);
    return;
  }
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const start = into.text.length;
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    into.text += `${into.text.length === start ? (list ? '[' : '{') : ','}\n${inner}`;
    if (!list) into.text += `${JSON.stringify(shorten(key))}: `;
    appendJson(into, Reflect.get(value, key), inner);
    if (into.text.length > MAX_PRINTED) return;
  }
  if (into.text.length === start) into.text += list ? '[]' : '{}';
  else into.text += `\n${indent}${list ? ']' : '}'}`;
}

/**
 * A value as Strapi's messages print it: scalars bare (`"x"`, `5`, `null`), anything else as JSON indented by
 * two spaces, whose scalars are themselves quoted text. At most `MAX_PRINTED` characters.
 */
export const printValue = (value: unknown): string => {
  const simple = printSimple(value);
  if (simple !== null) return shorten(simple);
  const printed: Printed = { text: '' };
  appendJson(printed, value, '');
  return shorten(printed.text);
};

/** Maximum characters of JSON for a value that an error returns. */
const MAX_ECHOED = 1000;

/** Whether a value is small enough to be returned unchanged. Stops as soon as that is known. */
export function isSmall(value: unknown): boolean {
  let left = MAX_ECHOED;
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    left -= typeof next === 'string' ? next.length + 2 : 5;
    if (left < 0) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const key in next) {
      if (!Array.isArray(next)) left -= key.length + 3;
      if (left < stack.length) return false;
      stack.push(Reflect.get(next, key));
    }
  }
  return true;
}
