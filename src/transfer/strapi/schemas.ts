import { attributesIn } from '../../schema/files/raw.js';
import { isObject, type PlainObject } from '../../values/plain-object.js';
import { type ImportProblem, moved, type SourceSchema } from '../source/types.js';
import type { StrapiVersion } from './head.js';
import { type ArchiveNames, isAddedByStrapi } from './names.js';

/** Types in an archive that are not content of the project. */
const IGNORED = /^(?:admin|strapi)::|^plugin::(?!users-permissions\.user$|upload\.file$)/;

/** Keys of a line of `schemas` that also occur in `schema.json`. */
const KEPT = ['kind', 'collectionName', 'info', 'options', 'pluginOptions', 'indexes'] as const;

/** Whether a line is the schema of something that is imported. */
export const isImported = (line: PlainObject): boolean =>
  !IGNORED.test(String(line['uid'])) && isObject(line['attributes']);

/** The `schema.json` for one line. */
export function schemaContent(line: PlainObject, { version, names }: Reading): SourceSchema {
  const uid = String(line['uid']);
  const modelType = line['modelType'] === 'component' ? 'component' : 'contentType';
  const own = Object.entries(attributesIn(line)).filter(([name]) => !isAddedByStrapi(line, name, version));
  const content = renamedOptions(uid, names, {
    ...Object.fromEntries(
      KEPT.flatMap((key) => (line[key] === undefined || line[key] === null ? [] : [[key, line[key]]])),
    ),
    attributes: Object.fromEntries(
      own.map(([name, attribute]) => [names.of(uid, name), attributeContent(uid, attribute, names)]),
    ),
  });
  return { uid, modelType, content };
}

interface Reading {
  readonly version: StrapiVersion;
  readonly names: ArchiveNames;
}

/** The keys that Strapi adds to an attribute. */
const ADDED = ['joinColumn', 'joinTable', 'morphColumn', 'unstable_virtual'];
/** The options that name another attribute of the model, or one of the target. */
const NAMES_OWN = ['targetField'];
const NAMES_OTHER = ['inversedBy', 'mappedBy', 'morphBy'];

function attributeContent(uid: string, attribute: unknown, names: ArchiveNames): unknown {
  if (!isObject(attribute)) return attribute;
  const entries = Object.entries(attribute).filter(([key]) => !ADDED.includes(key));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const model = NAMES_OWN.includes(key) ? uid : NAMES_OTHER.includes(key) ? attribute['target'] : null;
      return [key, typeof value === 'string' && model !== null ? names.of(model, value) : value];
    }),
  );
}

/** `privateAttributes` with the new names, so that private attributes stay private. */
function renamedOptions(uid: string, names: ArchiveNames, content: PlainObject): PlainObject {
  const { options } = content;
  if (!isObject(options) || !Array.isArray(options['privateAttributes'])) return content;
  const privateAttributes = options['privateAttributes'].map((name) => names.of(uid, String(name)));
  return { ...content, options: { ...options, privateAttributes } };
}

/** What is reported about the renamed attributes of an archive. */
export const renamesIn = (lines: readonly PlainObject[], names: ArchiveNames): readonly ImportProblem[] =>
  lines.flatMap(({ uid }) =>
    [...names.renamed(String(uid))].map(([name, free]) =>
      moved('schema', `${String(uid)} ${name}`, `the name is reserved, so it is renamed to ${free}`),
    ),
  );
