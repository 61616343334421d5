import { pascal } from '../../schema/names.js';
import type { ForeignDatabase } from '../../store/transfer/foreign.js';
import { isObject, objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import { ImportError } from '../source/error.js';

/** An attribute in Strapi 3: a scalar has `type`, a relation has `model` or `collection`. */
export interface Attribute3 extends PlainObject {
  readonly type?: string;
  readonly model?: string;
  readonly collection?: string;
  readonly plugin?: string;
  readonly via?: string;
  readonly dominant?: boolean;
  readonly isVirtual?: boolean;
  readonly component?: string;
  readonly components?: readonly string[];
  readonly repeatable?: boolean;
}

/** A content type or component of Strapi 3. */
export interface Model3 {
  /** For example `application::restaurant.restaurant`, `plugins::upload.file`, `place.address`. */
  readonly uid: string;
  readonly isComponent: boolean;
  /** The name used as `kind` in stored references: `SiteSetting`, `ComponentPlaceAddress`. */
  readonly globalId: string;
  readonly collection: string;
  readonly kind: 'collectionType' | 'singleType';
  readonly displayName: string;
  readonly description: string;
  readonly draftAndPublish: boolean;
  readonly populateCreatorFields: boolean;
  readonly localized: boolean;
  /** Names of the timestamps; null if there are none. */
  readonly timestamps: readonly [string, string] | null;
  /** Names of attributes that are private in addition to those that say so themselves. */
  readonly privateAttributes: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute3>>;
}

/** The models and settings in a database. */
export interface Definitions {
  /** The current models of the project. */
  readonly models: readonly Model3[];
  /** Models that were removed from the project; their definitions and collections remain. */
  readonly removed: readonly Model3[];
  readonly settings: ReadonlyMap<string, unknown>;
}

const DEFINITION = 'model_def_';
const CONFIGURED = /^plugin_content_manager_configuration_(content_types|components)::(.+)$/;

/**
 * Reads the models from `core_store`. A type that the content manager no longer has was removed.
 * @throws ImportError if it is not a database of Strapi 3
 */
export async function readDefinitions(database: ForeignDatabase): Promise<Definitions> {
  const models: Model3[] = [];
  const settings = new Map<string, unknown>();
  for await (const { key, value } of database.all('core_store')) {
    const content = parsed(value);
    if (typeof key !== 'string') continue;
    if (!key.startsWith(DEFINITION)) settings.set(key, content);
    else if (isObject(content)) models.push(modelFromFile(key.slice(DEFINITION.length), content));
  }
  if (models.length === 0)
    throw new ImportError(
      `${database.name} has no model definitions (core_store, model_def_*): it is not a Strapi 3 database`,
    );
  const configured = new Set([...settings.keys()].flatMap((key) => CONFIGURED.exec(key)?.[2] ?? []));
  // Without any such settings, nothing is known about removed models.
  const isThere = ({ uid, isComponent }: Model3): boolean =>
    configured.size === 0 || configured.has(uid) || (!isComponent && !uid.startsWith('application::'));
  return { models: models.filter(isThere), removed: models.filter((model) => !isThere(model)), settings };
}

const parsed = (value: unknown): unknown => {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
};

export function modelFromFile(uid: string, raw: PlainObject): Model3 {
  const options = objectAt(raw, 'options');
  const info = objectAt(raw, 'info');
  const { timestamps } = options;
  const isComponent = !uid.includes('::');
  return {
    uid,
    isComponent,
    globalId: textOf(raw['globalId']) || globalIdOf(uid),
    collection: textOf(raw['collectionName']) || nameOf(uid),
    kind: raw['kind'] === 'singleType' ? 'singleType' : 'collectionType',
    displayName: textOf(info['name']) || nameOf(uid),
    description: textOf(info['description']) ?? '',
    draftAndPublish: options['draftAndPublish'] === true,
    populateCreatorFields: options['populateCreatorFields'] === true,
    localized: objectAt(raw, 'pluginOptions', 'i18n')['localized'] === true,
    timestamps: Array.isArray(timestamps)
      ? [String(timestamps[0]), String(timestamps[1])]
      : timestamps === true
        ? ['createdAt', 'updatedAt']
        : null,
    privateAttributes: namesIn(options['privateAttributes']),
    attributes: objectAt(raw, 'attributes') as Model3['attributes'],
  };
}

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** `site-setting` for `application::site-setting.site-setting`. */
const nameOf = (uid: string): string => uid.slice(uid.lastIndexOf('.') + 1);

/** The default `globalId`: the name of the model, prefixed with that of its plugin or component category. */
function globalIdOf(uid: string): string {
  const [origin = '', rest = ''] = uid.includes('::') ? uid.split('::') : ['', uid];
  const [owner = '', name = ''] = rest.split('.');
  if (origin === '') return `Component${pascal(owner)}${pascal(name)}`;
  return origin === 'plugins' ? `${pascal(owner)}${pascal(name)}` : pascal(name || rest);
}
