import { objectAt, type PlainObject } from '../values/plain-object.js';
import { OBJECTS } from './primitives.js';
import { isCallable, type Values } from './types.js';
import { refuse } from './unsupported.js';

const PARTS = ['subject', 'text', 'html'] as const;

const valueAt = (data: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], data);

/**
 * The parts of a mail with the values of `data` in them, as `sendTemplatedEmail` of Strapi's plugin email fills in
 * `<%= user.name %>`. @throws Unsupported for a template with code in it
 */
export function filledTemplate(template: unknown, data: unknown): PlainObject {
  const parts: Values = objectAt(template);
  const missing = PARTS.filter((name) => !(name in parts));
  if (missing.length > 0)
    throw new Error(`Following attributes are missing from your email template : ${missing.join(', ')}`);
  const names: unknown = isCallable(OBJECTS['keysDeep']) && OBJECTS['keysDeep'](data);
  const known = new Set(Array.isArray(names) ? names : []);
  const filled = (text: string): string =>
    text.replace(/<%(=?)\s*([^%]*?)\s*%>/g, (_, sign, name: string) =>
      sign === '=' && known.has(name)
        ? String(valueAt(data, name) ?? '')
        : refuse("plugin('email').service('email').sendTemplatedEmail of a template with code"),
    );
  return Object.fromEntries(
    PARTS.flatMap((name) => (parts[name] ? [[name, filled(String(parts[name]))]] : [])),
  );
}
