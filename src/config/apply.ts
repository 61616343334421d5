import type { AppEvent } from '../events/events.js';
import { isPlainObject } from '../values/plain-object.js';
import { joined, nest, pick } from './merge.js';
import { UNREADABLE } from './readers.js';
import { type PlacedSetting, rowsOf } from './setting.js';
import { SETTINGS } from './settings.js';
import { WITHOUT_EFFECT } from './without-effect.js';

/** The result of reading one file: values at their paths in `Config`, with problems and warnings. */
export interface Applied {
  readonly values: unknown;
  readonly problems: readonly string[];
  readonly warnings: readonly AppEvent[];
}

/** The settings of a file in `config/`, or of a middleware. */
const settingsIn = (file: string): readonly PlacedSetting[] =>
  rowsOf(SETTINGS).filter(({ setting }) => setting.row.file === file);

/**
 * Reads the settings from the value of a file. Unknown keys become warnings.
 * @param label the file, for messages
 * @param name the file or middleware as named by the settings
 */
export function applySettings(label: string, value: unknown, name: string): Applied {
  if (!isPlainObject(value))
    return { values: {}, problems: [`${label}: an object, not ${show(value)}`], warnings: [] };
  const settings = settingsIn(name);
  const values: unknown[] = [];
  const problems: string[] = [];
  const warnings: AppEvent[] = [];
  for (const { to, setting } of settings) {
    const { path, reader } = setting.row;
    const given = path === '' ? value : pick(value, path);
    if (given === undefined) continue;
    const read = reader.read(given);
    if (typeof given === 'function') {
      const instead = read === UNREADABLE ? 'the default applies' : `${show(read)} is used instead`;
      warnings.push({ name: 'setting-not-called', file: label, key: path, instead });
      if (read !== UNREADABLE) values.push(nest(to, read));
    } else if (read === UNREADABLE)
      problems.push(`${pathOf(label, path)}: ${reader.expected}, not ${show(given)}`);
    else values.push(nest(to, read));
    for (const ignored of reader.ignored?.(given) ?? [])
      warnings.push({ name: 'setting-part-ignored', file: label, key: path, part: show(ignored) });
  }
  const known = [...settings.map(({ setting }) => setting.row.path), ...(WITHOUT_EFFECT[name] ?? [])];
  const unknown = unknownKeys(value, known).map(
    (key): AppEvent => ({ name: 'setting-unknown', file: label, key }),
  );
  return { values: joined(values), problems, warnings: [...warnings, ...unknown] };
}

const pathOf = (label: string, path: string): string =>
  [label, path].filter((part) => part !== '').join(' › ');

/** The shortest paths that no known path contains; `*` in a known path is any key. */
function unknownKeys(value: Readonly<Record<string, unknown>>, known: readonly string[]): readonly string[] {
  const paths = known.map((path) => (path === '' ? [] : path.split('.')));
  if (paths.some((path) => path.length === 0)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = paths.filter(([first]) => first === key || first === '*').map(([, ...rest]) => rest);
    if (below.length === 0) return [key];
    return isPlainObject(inner)
      ? unknownKeys(
          inner,
          below.map((path) => path.join('.')),
        ).map((rest) => `${key}.${rest}`)
      : [];
  });
}

const show = (value: unknown): string => {
  // JSON has no NaN, which `env.int` returns for text, and no regular expressions.
  const json = typeof value === 'number' || value instanceof RegExp ? undefined : JSON.stringify(value);
  const text = typeof value === 'function' ? 'a function' : (json ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};
