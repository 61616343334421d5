import type { Schema } from '../../schema/types.js';
import type { ForeignDatabase } from '../../store/transfer/foreign.js';
import { isBson } from '../../values/bson.js';
import { objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import { privateNamesIn } from './access.js';

/** A model as `core_store` defines it. */
export interface RawModel {
  /** For example `application::book.book`, `text.chapter`. */
  readonly name: string;
  /** In Mangrove; null if it does not have the model. */
  readonly uid: string | null;
  readonly collection: string;
  readonly attributes: PlainObject;
  /** The names here of what the model makes private. */
  readonly hidden: readonly string[];
  readonly localized: boolean;
  readonly draftAndPublish: boolean;
  readonly timestamps: readonly string[];
}

export interface RawModels {
  readonly all: readonly RawModel[];
  readonly types: readonly RawModel[];
  /** The model of a reference with a `kind`. */
  ofKind(kind: string): RawModel | undefined;
  /** The type whose routes a controller has. */
  ofController(name: string): RawModel | undefined;
  /** The uid that a relation leads to; null if Mangrove does not have it. */
  targetOf(attribute: PlainObject): string | null;
}

/** Names are compared by their letters and digits, since Mangrove writes them in another case. */
const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9.]/g, '');

/** Without `api::` or `application::`, in lower case. */
const bare = (name: string): string => name.slice(name.indexOf('::') + 1).toLowerCase();

/** The text of an id, which another program may have stored as text. */
export const idTextOf = (value: unknown): string => {
  const text = String(value);
  return isId(value) ? text.toLowerCase() : text;
};

/** Whether a value can be the id of a document. */
export const isId = (value: unknown): boolean =>
  (typeof value === 'string' || isBson(value, 'ObjectId')) && /^[0-9a-f]{24}$/i.test(String(value));

export const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** Reads the models of a database, and which models of Mangrove they became. */
export async function readModels(database: ForeignDatabase, schema: Schema): Promise<RawModels> {
  const all = [...schema.contentTypes.keys(), ...schema.components.keys()].filter(
    (uid) => !uid.startsWith('admin::'),
  );
  // Of several names with the same letters, each model has its own.
  const uids = new Map([
    ...all.map((uid) => [letters(bare(uid)), uid] as const),
    ...all.map((uid) => [bare(uid), uid] as const),
  ]);
  const models: RawModel[] = [];
  const kinds = new Map<string, RawModel>();
  for await (const { key, value } of database.all('core_store')) {
    if (typeof key !== 'string' || !key.startsWith('model_def_')) continue;
    const model = modelOf(key.slice('model_def_'.length), objectAt(JSON.parse(String(value))), uids);
    models.push(model.model);
    kinds.set(letters(model.kind), model.model);
  }
  const named = (name: string): RawModel | undefined => models.find((model) => model.name === name);
  return {
    all: models,
    types: models.filter(({ name }) => name.includes('::')),
    ofKind: (kind) => kinds.get(letters(kind)),
    ofController(name) {
      const isOf = (form: (text: string) => string) => (model: RawModel) =>
        /^application::/.test(model.name) &&
        form(model.name.slice(model.name.lastIndexOf('.') + 1)) === form(name);
      return (
        models.find(isOf((text) => text.toLowerCase())) ??
        models.find(isOf((text) => letters(text).replaceAll('.', '')))
      );
    },
    targetOf({ model, collection, plugin }) {
      const name = String(model ?? collection);
      const found =
        typeof plugin === 'string' && plugin !== ''
          ? named(`plugins::${plugin}.${name}`)
          : models.find((one) => one.name.startsWith('application::') && one.name.endsWith(`.${name}`));
      return found?.uid ?? null;
    },
  };
}

function modelOf(
  name: string,
  raw: PlainObject,
  uids: ReadonlyMap<string, string>,
): { readonly model: RawModel; readonly kind: string } {
  const options = objectAt(raw, 'options');
  const timestamps = timestampsIn(options);
  const short = name.slice(name.lastIndexOf('.') + 1);
  const isComponent = !name.includes('::');
  const [origin = '', rest = ''] = name.split('::');
  const kind = isComponent ? `component${name}` : origin === 'plugins' ? rest : short;
  return {
    kind: textOf(raw['globalId']) || kind.replaceAll('.', ''),
    model: {
      name,
      uid: origin === 'strapi' ? null : (uids.get(bare(name)) ?? uids.get(letters(bare(name))) ?? null),
      collection: textOf(raw['collectionName']) || short,
      attributes: objectAt(raw, 'attributes'),
      localized: objectAt(raw, 'pluginOptions', 'i18n')['localized'] === true,
      draftAndPublish: options['draftAndPublish'] === true,
      timestamps,
      hidden: privateNamesIn(raw).map((key) => TIMES[timestamps.indexOf(key)] ?? AUTOMATIC[key] ?? key),
    },
  };
}

const TIMES: readonly string[] = ['createdAt', 'updatedAt'];
const AUTOMATIC: Readonly<Record<string, string>> = {
  published_at: 'publishedAt',
  created_by: 'createdBy',
  updated_by: 'updatedBy',
};

function timestampsIn({ timestamps }: PlainObject): readonly string[] {
  if (timestamps === true) return TIMES;
  return Array.isArray(timestamps) ? timestamps.map(String) : [];
}
