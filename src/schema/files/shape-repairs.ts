import { isObject, objectAt } from '../../values/plain-object.js';
import type { Repair } from '../error.js';
import { KEBAB, normalName } from '../names.js';
import { MEDIA_KINDS } from '../types.js';
import { COMPONENT_UID } from './meta-attribute.js';
import type { SchemaFile } from './read.js';

/** A value of the wrong shape. */
interface Misshapen {
  readonly file: SchemaFile;
  readonly path: string;
  /** The value at the path; undefined if it is missing. */
  readonly value: unknown;
}

type Make = (found: Misshapen, ...parts: readonly string[]) => Repair | null;

const strings = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');

const at = (content: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => objectAt(inner)[key], content);

const removed =
  (starts: boolean): Make =>
  (_found, place = '') => ({ starts, at: place });

/** The names of a type, made from that of its folder where they are missing or invalid. */
const infoOf = ({ file, value }: Misshapen): Repair => {
  const { pluralName, displayName, ...more } = objectAt(value);
  const singularName = normalName(file.name) || 'type';
  const names = {
    singularName,
    pluralName:
      typeof pluralName === 'string' && KEBAB.test(pluralName) ? pluralName : `${singularName}-list`,
    displayName: typeof displayName === 'string' && displayName !== '' ? displayName : singularName,
  };
  return { starts: false, at: 'info', value: { ...more, ...names } };
};

/** A name of letters, digits, - and _ that begins with a letter; removed if nothing is left. */
function collectionName({ value }: Misshapen): Repair {
  const text = typeof value === 'string' ? value : '';
  const name = text
    .replace(/[^-_0-9A-Za-z]/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 200);
  // SQL databases read a dot as the end of a schema's name.
  return { starts: text !== '' && !text.includes('.'), ...(name !== '' && { value: name }) };
}

const FLAGS =
  'required|unique|private|configurable|writable|visible|searchable|multiple|repeatable|useJoinTable';

/**
 * What can be done about a value of the wrong shape, by its path; the first match decides. Strapi validates
 * little more than names and enumerations, so it starts with most of them.
 */
const REPAIRS: readonly (readonly [path: RegExp, make: Make])[] = [
  [
    new RegExp(`^attributes\\.[^.]+\\.(?:${FLAGS})$`),
    ({ value }) => ({ starts: true, value: Boolean(value) }),
  ],
  [
    /^(attributes\.[^.]+)\.enum/,
    ({ file }, place = '') => {
      const values = at(file.content, `${place}.enum`);
      return { starts: Array.isArray(values) && values.length === 0, at: `${place}.type`, value: 'string' };
    },
  ],
  [/^attributes\.[^.]+\.type$/, () => ({ starts: false, value: 'json' })],
  [
    /^attributes\.[^.]+$/,
    ({ value, path }) =>
      isObject(value) ? { starts: false, at: `${path}.type`, value: 'json' } : { starts: false },
  ],
  [/^(attributes\.[^.]+)\.(?:relation|customField|component|target)$/, removed(false)],
  [
    /^(attributes\.[^.]+\.components)(\.\d+)?$/,
    ({ file }, place = '', member) => {
      const listed = [...new Set(strings(at(file.content, place)))];
      return {
        starts: member === undefined,
        at: place,
        value: listed.filter((uid) => COMPONENT_UID.test(uid)),
      };
    },
  ],
  [
    /^(attributes\.[^.]+\.allowedTypes)/,
    ({ file }, place = '') => {
      const kinds = strings(at(file.content, place));
      return { starts: true, at: place, value: MEDIA_KINDS.filter((kind) => kinds.includes(kind)) };
    },
  ],
  [/^(attributes\.[^.]+\.pluginOptions)/, removed(true)],
  [/^(attributes\.[^.]+\.[^.]+)/, removed(true)],
  [/^options\.draftAndPublish$/, ({ value }) => ({ starts: true, value: value === true })],
  [/^options\.populateCreatorFields$/, ({ value }) => ({ starts: true, value: Boolean(value) })],
  [
    /^(options\.privateAttributes)/,
    ({ file }, place = '') => ({ starts: true, at: place, value: strings(at(file.content, place)) }),
  ],
  [/^(options\.(?:shard|history|strapi3))/, removed(false)],
  [/^(pluginOptions\.mangrove)/, removed(false)],
  [/^(pluginOptions\.i18n)/, removed(true)],
  [/^(options|pluginOptions|indexes|kind)(?:\.|$)/, removed(true)],
  [/^collectionName$/, collectionName],
  [/^info/, (found) => infoOf({ ...found, value: at(found.file.content, 'info') })],
];

/** The repair of a value of the wrong shape; null if someone has to correct it. */
export function shapeRepair(file: SchemaFile, path: string): Repair | null {
  if (!isObject(file.content)) return null;
  if (file.kind === 'component' && path.startsWith('info')) return { starts: true, at: 'info' };
  for (const [pattern, make] of REPAIRS) {
    const found = pattern.exec(path);
    if (found) return make({ file, path, value: at(file.content, path) }, ...found.slice(1));
  }
  return null;
}
