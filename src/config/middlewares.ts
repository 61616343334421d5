import type { AppEvent } from '../events/events.js';
import { type Applied, applySettings } from './apply.js';
import { isRecord, joined } from './merge.js';
import type { ConfigOverrides } from './paths.js';
import { MIDDLEWARES, MIDDLEWARES_WITHOUT_EFFECT } from './settings.js';

/** rules J.2. */
const REQUIRED = ['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon'].map(
  (name) => `strapi::${name}`,
);

interface Item {
  readonly name: string;
  readonly config: unknown;
}

/**
 * Reads config/middlewares: a list of names, or of `{ name, config }`. The order is Mangrove's own (src/app.ts); what counts is
 * which are there and their options.
 */
export function applyMiddlewares(label: string, value: unknown): Applied {
  if (!Array.isArray(value))
    return { values: {}, problems: [`${label}: a list of middlewares`], warnings: [] };
  const items = value.map(readItem);
  const present = new Map(items.map((item) => [item.name, item.config]));
  const absent = items.map(({ name }) => name).filter((name) => !Object.hasOwn(MIDDLEWARES, name));
  const missing = REQUIRED.filter((name) => !present.has(name));
  const parts = [...present].flatMap(([name, config]) => {
    const settings = Object.hasOwn(MIDDLEWARES, name) ? MIDDLEWARES[name] : undefined;
    if (!settings) return [];
    return [
      applySettings(`${label} › ${name}`, config ?? {}, settings, MIDDLEWARES_WITHOUT_EFFECT[name] ?? []),
    ];
  });
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
      ...absent.map(
        (middleware): AppEvent => ({
          name: 'middleware-without-effect',
          file: label,
          middleware,
          known: Object.keys(MIDDLEWARES),
        }),
      ),
    ],
  };
}

const readItem = (item: unknown): Item => {
  if (isRecord(item) && typeof item['name'] === 'string')
    return { name: item['name'], config: item['config'] };
  if (isRecord(item) && typeof item['resolve'] === 'string')
    return { name: item['resolve'], config: item['config'] };
  return { name: typeof item === 'string' ? item : 'a function', config: undefined };
};

/** Middlewares that are on because they are named, or off because they are not. */
const switches = (present: ReadonlyMap<string, unknown>): ConfigOverrides => {
  const cors = present.get('strapi::cors');
  return {
    middlewares: {
      compression: present.has('strapi::compression'),
      responseTime: present.has('strapi::responseTime'),
      ...(present.has('strapi::poweredBy') ? {} : { poweredBy: null }),
      ...(isRecord(cors) && cors['enabled'] === false ? { cors: null } : {}),
    },
  };
};
