/** The recorded writes with Strapi's responses, in one shape for REST and Document Service. */
import { readdirSync, readFileSync } from 'node:fs';

const corpus = new URL('../conformance/public/', import.meta.url);

export interface Write {
  readonly name: string;
  /** Singular or plural name in the path, or the uid. */
  readonly type: string;
  readonly rest: boolean;
  readonly action: 'create' | 'update';
  readonly draftOnly: boolean;
  /** Empty for the default locale. */
  readonly locale: string;
  /** The document that is updated, by the name of a captured value; null for a create. */
  readonly document: string | null;
  /** Names under which the response's documentId is captured. */
  readonly captured: readonly string[];
  readonly auth: string;
  readonly data: unknown;
  readonly accepted: boolean;
  readonly error: unknown;
}

/** A field of parsed JSON, or undefined. */
export const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (within, key) => (typeof within === 'object' && within !== null ? Reflect.get(within, key) : undefined),
    value,
  );

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const readLines = (file: string): unknown[] =>
  readFileSync(new URL(file, corpus), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

const capturedIds = (step: unknown): string[] =>
  Object.entries(at(step, 'capture') ?? {})
    .filter(([, path]) => String(path).endsWith('documentId'))
    .map(([name]) => name);

const restWrite = (name: string, step: unknown): Write[] => {
  const method = String(at(step, 'request', 'method'));
  const [path = '', query = ''] = String(at(step, 'request', 'path')).split('?');
  const [, , type = '', id] = path.split('/');
  const data = at(step, 'request', 'body', 'data');
  if (!['POST', 'PUT'].includes(method) || typeof data !== 'object' || data === null) return [];
  const status = Number(at(step, 'response', 'status'));
  return [
    {
      name,
      type,
      rest: true,
      action: method === 'POST' ? 'create' : 'update',
      locale: /(?:^|&)locale=(\w+)/.exec(query)?.[1] ?? '',
      draftOnly: /(?:^|&)status=draft(?:&|$)/.test(query),
      document: method === 'PUT' ? (id?.replace(/[{}]/g, '') ?? type) : null,
      captured: method === 'PUT' && id === undefined ? [type] : capturedIds(step),
      auth: String(at(step, 'auth')),
      data,
      accepted: status < 300,
      error: at(step, 'response', 'body', 'error'),
    },
  ];
};

const serviceWrite = (name: string, step: unknown): Write[] => {
  const method = String(at(step, 'call', 'method'));
  const data = at(step, 'call', 'params', 'data');
  if (!['create', 'update'].includes(method) || data === undefined) return [];
  const document = at(step, 'call', 'params', 'documentId');
  return [
    {
      name,
      type: String(at(step, 'call', 'uid')),
      rest: false,
      action: method === 'create' ? 'create' : 'update',
      locale: String(at(step, 'call', 'params', 'locale') ?? ''),
      draftOnly: at(step, 'call', 'params', 'status') !== 'published',
      document: typeof document === 'string' ? document.replace(/[{}]/g, '') : null,
      captured: capturedIds(step),
      auth: 'full',
      data,
      accepted: at(step, 'error') === undefined,
      error: at(step, 'error'),
    },
  ];
};

/** All of them, scenario by scenario in order. */
export const recordedWrites = (): Write[][] => {
  const scenarios = readdirSync(new URL('scenario/', corpus)).flatMap((file) =>
    readLines(`scenario/${file}`),
  );
  return [...scenarios, ...readLines('document-service.jsonl')].map((scenario) =>
    list(at(scenario, 'steps')).flatMap((step) =>
      (at(step, 'call') === undefined ? restWrite : serviceWrite)(String(at(scenario, 'name')), step),
    ),
  );
};
