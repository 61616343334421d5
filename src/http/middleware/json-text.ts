/** JSON of a body, by the rules of the parser that Strapi uses (co-body, @hapi/bourne), whose messages it answers with. */

import { reasonOf } from '../../values/reason-of.js';

/** Anything but an object or a list is refused before it is parsed. */
const CONTAINER = /^[ \t\n\r]*[[{]/;

/** Matches text that may hold the key, however it is escaped. */
const SUSPECT = /__proto__|\\u00/i;

const refused = (message: string): Error => Object.assign(new SyntaxError(message), { status: 400 });

/** Newer Node versions add `(line 1 column 2)` to the parser's message; Strapi's recorded ones end before it. */
const withoutPlace = (message: string): string => message.replace(/ \(line \d+ column \d+\)$/, '');

/** With an explicit stack: no nesting exhausts that of the process. */
const holdsForbidden = (root: object): boolean => {
  const stack: object[] = [root];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (Object.hasOwn(top, '__proto__')) return true;
    for (const member of Object.values(top))
      if (typeof member === 'object' && member !== null) stack.push(member);
  }
  return false;
};

const parse = (text: string): object => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(withoutPlace(reasonOf(error)));
  }
};

/** The object or list that a JSON text holds; `{}` for an empty one. Throws a 400 for all else, and for keys that would change a prototype. */
export function parseJsonText(text: string): object {
  if (text === '') return {};
  if (!CONTAINER.test(text)) throw refused('invalid JSON, only supports object and array');
  const value = parse(text);
  if (SUSPECT.test(text) && holdsForbidden(value))
    throw refused('Object contains forbidden prototype property');
  return value;
}
