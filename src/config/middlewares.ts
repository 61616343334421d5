import type { AppEvent } from '../events/events.js';
import { isPlainObject } from '../values/plain-object.js';
import { type Applied, applySettings } from './apply.js';
import { joined } from './merge.js';
import { WITHOUT_EFFECT } from './without-effect.js';

/** Required by Strapi. */
const REQUIRED = ['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon'].map(
  (name) => `strapi::${name}`,
);

/** Middlewares of Strapi that Mangrove knows. */
const MIDDLEWARES = Object.keys(WITHOUT_EFFECT).filter((name) => name.startsWith('strapi::'));

interface Item {
  readonly name: string;
  readonly config: unknown;
}

/**
 * Reads config/middlewares: a list of names, or of `{ name, config }`. The order is fixed (src/app.ts); what
 * counts is which are present, and their options.
 */
export function applyMiddlewares(label: string, value: unknown): Applied {
  if (!Array.isArray(value))
    return { values: {}, problems: [`${label}: a list of middlewares`], warnings: [] };
  const items = value.map(readItem);
  const present = new Map(items.map((item) => [item.name, item.config]));
  const absent = items.map(({ name }) => name).filter((name) => !MIDDLEWARES.includes(name));
  const missing = REQUIRED.filter((name) => !present.has(name));
  const parts = [...present]
    .filter(([name]) => MIDDLEWARES.includes(name))
    .map(([name, config]) => applySettings(`${label} › ${name}`, config ?? {}, name));
  return {
    values: joined([
      ...parts.map((part) => part.values),
      switches(present),
      { code: { middlewares: absent } },
    ]),
    problems: [
      ...parts.flatMap((part) => part.problems),
      ...(missing.length === 0
        ? []
        : [
            `Missing required middlewares in configuration. Add the following middlewares: ${missing.map((name) => `"${name}"`).join(', ')}.`,
          ]),
    ],
    warnings: [
      ...parts.flatMap((part) => part.warnings),
      // Others are the project's own code.
      ...absent
        .filter((name) => name.startsWith('strapi::'))
        .map(
          (middleware): AppEvent => ({
            name: 'middleware-without-effect',
            file: label,
            middleware,
            known: MIDDLEWARES,
          }),
        ),
    ],
  };
}

const readItem = (item: unknown): Item => {
  if (isPlainObject(item) && typeof item['name'] === 'string')
    return { name: item['name'], config: item['config'] };
  if (isPlainObject(item) && typeof item['resolve'] === 'string')
    return { name: item['resolve'], config: item['config'] };
  return { name: typeof item === 'string' ? item : 'a function', config: undefined };
};

/** Settings that depend on whether a middleware is present. */
const switches = (present: ReadonlyMap<string, unknown>): unknown => {
  const cors = present.get('strapi::cors');
  const compression = present.get('strapi::compression');
  return {
    middlewares: {
      compression: present.has('strapi::compression') ? (compression ?? {}) : null,
      responseTime: present.has('strapi::responseTime'),
      ...(present.has('strapi::poweredBy') ? {} : { poweredBy: null }),
      ...(isPlainObject(cors) && cors['enabled'] === false ? { cors: null } : {}),
    },
  };
};
