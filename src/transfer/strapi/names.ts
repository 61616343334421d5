import { attributesIn } from '../../schema/files/raw.js';
import { SYSTEM_TYPES } from '../../schema/model/system.js';
import { snakeCase } from '../../schema/names.js';
import { mapObjects, objectAt, type PlainObject } from '../../values/plain-object.js';
import { freeNames } from '../source/free-names.js';
import type { StrapiVersion } from './head.js';

/** New names of attributes by their old ones. */
type NewNames = ReadonlyMap<string, string>;

/** The attributes of an archive, with the names that they get here. */
export interface ArchiveNames {
  /** The new name of an attribute; the same name if it is not renamed. */
  of(uid: unknown, name: string): string;
  /** The renamed attributes of a model. */
  renamed(uid: string): NewNames;
  /** The data of an entry or component item, with new names at every depth. */
  inData(uid: string, data: PlainObject): PlainObject;
}

const NONE: NewNames = new Map();

/**
 * Finds new names for attributes whose names are reserved here but were not in that version of Strapi, such
 * as `documentId` or, in a type that is not localized, `locale`.
 */
export function namesOf(lines: readonly PlainObject[], version: StrapiVersion): ArchiveNames {
  const models = new Map(lines.map((line) => [String(line['uid']), line]));
  const renames = new Map<string, NewNames>();
  for (const [uid, line] of models) {
    const found = newNames(line, version);
    if (found.size > 0) renames.set(uid, found);
  }
  const renamed = (uid: string): NewNames => renames.get(uid) ?? NONE;
  const inData = (uid: string, data: PlainObject): PlainObject => {
    if (renames.size === 0) return data;
    const attributes = attributesIn(models.get(uid));
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => {
        const { type, component } = objectAt(attributes, key);
        const below = (item: PlainObject): PlainObject =>
          inData(String(type === 'component' ? component : item['__component']), item);
        const holdsItems = type === 'component' || type === 'dynamiczone';
        return [renamed(uid).get(key) ?? key, holdsItems ? mapObjects(value, below) : value];
      }),
    );
  };
  return { of: (uid, name) => renamed(String(uid)).get(name) ?? name, renamed, inData };
}

const newNames = (line: PlainObject, version: StrapiVersion): NewNames =>
  freeNames(
    Object.keys(attributesIn(line)).filter((name) => !isAddedByStrapi(line, name, version)),
    isComponent(line) ? [] : Object.keys(SYSTEM_TYPES).map(snakeCase),
    version,
  );

const isComponent = ({ modelType }: PlainObject): boolean => modelType === 'component';

type Test = (line: PlainObject, name: string, version: StrapiVersion) => boolean;
const always: Test = () => true;
/** Strapi 5 adds these to every type, unless its plugin i18n is disabled; Strapi 4 to localized types. */
const ofLocales: Test = (line, name, version) =>
  version === 5
    ? objectAt(line, 'attributes', name)['configurable'] === false
    : objectAt(line, 'pluginOptions', 'i18n')['localized'] === true;

/** The attributes that Strapi adds to content types, and when an attribute with that name is its own. */
const AUTOMATIC: Readonly<Record<string, Test>> = {
  id: always,
  documentId: (_line, _name, version) => version === 5,
  createdAt: always,
  updatedAt: always,
  createdBy: always,
  updatedBy: always,
  publishedAt: (line, _name, version) =>
    version === 5 || objectAt(line, 'options')['draftAndPublish'] === true,
  locale: ofLocales,
  localizations: ofLocales,
};

/** Whether Strapi added the attribute, rather than the project. */
export const isAddedByStrapi = (line: PlainObject, name: string, version: StrapiVersion): boolean =>
  isComponent(line)
    ? name === 'id'
    : Object.hasOwn(AUTOMATIC, name) && (AUTOMATIC[name]?.(line, name, version) ?? false);
