import type { Model, Schema } from '../types.js';
import { frozenMap } from './freeze.js';

/** The name of an owning relation in the list of relations that may lead to other locales. */
export const relationKey = (uid: string, attribute: string): string => `${uid} ${attribute}`;

/** The schema in which these relations store the locale of each target. */
export function withLinksAcrossLocales(schema: Schema, names: readonly string[]): Schema {
  if (names.length === 0) return schema;
  const known = new Set(names);
  const marked = <M extends Model>(models: ReadonlyMap<string, M>): ReadonlyMap<string, M> =>
    frozenMap(
      [...models].map(([uid, model]) => [
        uid,
        Object.freeze<M>({ ...model, attributes: attributesOf(model) }),
      ]),
    );
  const attributesOf = ({ uid, attributes }: Model): Model['attributes'] =>
    frozenMap(
      [...attributes].map(([name, attribute]) => [
        name,
        attribute.kind === 'relation' && known.has(relationKey(uid, name))
          ? Object.freeze({ ...attribute, acrossLocales: true as const })
          : attribute,
      ]),
    );
  return Object.freeze({
    ...schema,
    contentTypes: marked(schema.contentTypes),
    components: marked(schema.components),
  });
}
