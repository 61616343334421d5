import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isObject, objectAt, type PlainObject } from '../../values/plain-object.js';
import { reasonOf } from '../../values/reason-of.js';
import { problemAt, SchemaError } from '../error.js';
import { normalName, uidIn } from '../names.js';
import { loadModule } from './module.js';

/** A schema file with its unvalidated content; its path determines what it describes. */
export interface SchemaFile {
  readonly kind: 'contentType' | 'component' | 'extension';
  readonly uid: string;
  /** The name of the folder (content types), or of the file without its extension (components). */
  readonly name: string;
  readonly file: string;
  readonly content: unknown;
  /** What was expected, if the file could not be read; its content is then null. */
  readonly unreadable?: string;
}

/** What code changes in a model of a file: values by name, in place of the file's; undefined takes one away. */
export interface ModelChange {
  readonly uid: string;
  readonly sections: Readonly<Record<'attributes' | 'options' | 'pluginOptions' | 'info', PlainObject>>;
}

/** A pattern for paths in the folder, with `*` for a name; `uid` gets these names in order. */
interface Pattern {
  readonly kind: SchemaFile['kind'];
  readonly path: readonly string[];
  readonly uid: (names: readonly string[]) => string;
}

const component: Pattern = {
  kind: 'component',
  path: ['components', '*', '*'],
  uid: (names) => names.join('.'),
};
const own: readonly Pattern[] = [
  { kind: 'contentType', path: ['*', 'schema'], uid: ([name]) => `api::${name}.${name}` },
  component,
];

/** The `src` folder of a Strapi project. */
const strapi: readonly Pattern[] = [
  {
    kind: 'contentType',
    path: ['api', '*', 'content-types', '*', 'schema'],
    uid: ([api = '', name = '']) => uidIn(api, name),
  },
  // Strapi takes the names of components in lower case, whatever those of their folder and file are.
  { ...component, uid: (names) => component.uid(names).toLowerCase() },
];

/** Further attributes of a built-in type, in the same place in both layouts. */
const extension: Pattern = {
  kind: 'extension',
  path: ['extensions', '*', 'content-types', '*', 'schema'],
  uid: ([plugin, name]) => `plugin::${plugin}.${name}`,
};

const EXTENSIONS = ['.json', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'] as const;
/** Folders in Mangrove's own layout that are not content types. */
const NOT_TYPES = new Set(['components', 'extensions']);

/**
 * Reads every schema file in `folder`: a Mangrove project or its `content-types`, a Strapi project, or its
 * `src`. Sorted by name.
 * @throws SchemaError if there is nothing to read
 */
export async function readSchemaFiles(folder: string): Promise<readonly SchemaFile[]> {
  const root = [join(folder, 'src', 'api'), join(folder, 'api')].find((f) => existsSync(f));
  const base = root ? join(root, '..') : [join(folder, 'content-types'), folder].find((f) => existsSync(f));
  if (!base) throw notThere(folder, 'a folder with schema files');
  if (root && (await isStrapi3(root)))
    throw notThere(
      folder,
      'a project of Strapi 5 or 4. This one is of Strapi 3: bring its content in with mangrove import',
    );
  const files: SchemaFile[] = [];
  let found = false;
  for (const pattern of [...(root ? strapi : own), extension]) {
    for (const names of await match(base, pattern.path)) {
      const taken = names.filter((_, at) => pattern.path[at] === '*');
      const last = taken.at(-1) ?? '';
      const name = root && pattern.kind === 'contentType' ? normalName(last) : last;
      if (pattern.kind === 'contentType' && !root && NOT_TYPES.has(name)) continue;
      const path = extensionOf(join(base, ...names));
      found ||= path !== undefined;
      // Code may lie there on its own, such as lifecycles, which Strapi does not read.
      if (path === undefined && pattern.kind === 'extension') continue;
      const file = relative(folder, path ?? join(base, ...names))
        .split(sep)
        .join('/');
      const read = path
        ? await readOne(path)
        : { content: null, unreadable: `${names.at(-1)}.json or ${names.at(-1)}.js` };
      files.push({ kind: pattern.kind, uid: pattern.uid(taken), name, file, ...read });
    }
  }
  if (base === folder && !root && !found)
    throw notThere(folder, 'a folder with content-types/ or src/api/ in it');
  return files;
}

/** A file as it would be with what code changes in its model. */
export function changedFile(file: SchemaFile, changes: readonly ModelChange[]): SchemaFile {
  if (file.kind === 'extension' || !isObject(file.content)) return file;
  let content: PlainObject = file.content;
  for (const { sections } of changes.filter(({ uid }) => uid === file.uid))
    for (const [section, values] of Object.entries(sections)) {
      const merged = Object.entries({ ...objectAt(content, section), ...values });
      if (merged.length === 0) continue;
      content = {
        ...content,
        [section]: Object.fromEntries(merged.filter(([, value]) => value !== undefined)),
      };
    }
  return { ...file, content };
}

const notThere = (folder: string, expected: string): SchemaError =>
  new SchemaError([problemAt(folder, '', expected)]);

/**
 * Whether there are models in `models/<name>.settings.json`, as in Strapi 3, and none as in Strapi 4 and 5.
 */
async function isStrapi3(api: string): Promise<boolean> {
  if ((await match(api, ['*', 'content-types', '*', 'schema'])).length > 0) return false;
  const models = await match(api, ['*', 'models', '*']);
  return models.some((names) => names.at(-1)?.endsWith('.settings'));
}

/**
 * The paths in `base` that match the pattern, without extensions. If the last part is a fixed name, folders
 * without such a file are included.
 */
async function match(base: string, pattern: readonly string[]): Promise<readonly (readonly string[])[]> {
  const [part, ...rest] = pattern;
  if (part === undefined) return [];
  const entries = existsSync(base) ? await readdir(base, { withFileTypes: true }) : [];
  const found: (readonly string[])[] = [];
  const visible = entries.filter((e) => !e.name.startsWith('.') && !e.name.startsWith('_'));
  if (rest.length === 0) {
    if (part !== '*') return [[part]];
    const files = visible.filter(
      (e) =>
        e.isFile() && !e.name.endsWith('.d.ts') && EXTENSIONS.some((extension) => e.name.endsWith(extension)),
    );
    return [...new Set(files.map((e) => e.name.replace(/\.([cm]?[jt]s|json)$/, '')))]
      .sort()
      .map((name) => [name]);
  }
  for (const entry of visible.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory() || (part !== '*' && part !== entry.name)) continue;
    for (const below of await match(join(base, entry.name), rest)) found.push([entry.name, ...below]);
  }
  return found;
}

const extensionOf = (path: string): string | undefined =>
  EXTENSIONS.map((extension) => path + extension).find((candidate) => existsSync(candidate));

async function readOne(path: string): Promise<Pick<SchemaFile, 'content' | 'unreadable'>> {
  try {
    if (path.endsWith('.json')) return { content: JSON.parse(await readFile(path, 'utf8')) };
    return { content: (await loadModule(path)).value };
  } catch (error) {
    const reason = reasonOf(error);
    const unreadable = `${path.endsWith('.json') ? 'JSON' : 'a module'} that can be read (${reason})`;
    return { content: null, unreadable };
  }
}
