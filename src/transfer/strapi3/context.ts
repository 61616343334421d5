import type { ForeignDatabase } from '../../store/transfer/foreign.js';
import { translateModel } from './attributes.js';
import type { Translated } from './fields.js';
import type { Definitions, Model3 } from './models.js';
import { uidOf } from './names.js';

/** A model with its attributes in both versions. */
export interface Known {
  readonly model: Model3;
  readonly uid: string;
  readonly fields: ReadonlyMap<string, Translated>;
}

/** What is needed to translate documents. */
export interface Strapi3 {
  readonly database: ForeignDatabase;
  readonly definitions: Definitions;
  /**
   * Content types of the project and the built-in ones that are imported, in the order of their definitions.
   */
  readonly types: readonly Known[];
  readonly components: ReadonlyMap<string, Known>;
  /** Components and types by `kind`, including removed ones. */
  readonly byGlobalId: ReadonlyMap<string, Model3>;
  readonly byUid: ReadonlyMap<string, Known>;
  /** The collection of administrators. */
  readonly administrators: string;
}

export function makeContext(database: ForeignDatabase, definitions: Definitions): Strapi3 {
  const { models, removed } = definitions;
  const byName = new Map(models.map((model) => [model.uid, model]));
  const known = models.flatMap((model): Known[] => {
    const uid = uidOf(model);
    return uid === null ? [] : [{ model, uid, fields: translateModel(model, byName) }];
  });
  return {
    database,
    definitions,
    types: known.filter(({ model }) => !model.isComponent),
    components: new Map(known.filter(({ model }) => model.isComponent).map((one) => [one.uid, one])),
    byGlobalId: new Map([...removed, ...models].map((model) => [model.globalId, model])),
    byUid: new Map(known.map((one) => [one.uid, one])),
    administrators: byName.get('strapi::user')?.collection ?? 'strapi_administrator',
  };
}
