import { frozenMap } from './freeze.js';
import type { Model, Schema } from './types.js';

/** How an owning relation is named in the list of those that lead to other locales. */
export const relationName = (uid: string, attribute: string): string => `${uid} ${attribute}`;

/** The schema in which these relations name the locale of each target. */
export function withLinksAcrossLocales(schema: Schema, names: readonly string[]): Schema {
  if (names.length === 0) return schema;
  const known = new Set(names);
  const marked = ({ uid, attributes }: Model): Model['attributes'] =>
    frozenMap(
      [...attributes].map(([name, attribute]) => [
        name,
        attribute.kind === 'relation' && known.has(relationName(uid, name))
          ? Object.freeze({ ...attribute, acrossLocales: true as const })
          : attribute,
      ]),
    );
  return Object.freeze({
    ...schema,
    contentTypes: frozenMap(
      [...schema.contentTypes].map(([uid, type]) => [
        uid,
        Object.freeze({ ...type, attributes: marked(type) }),
      ]),
    ),
    components: frozenMap(
      [...schema.components].map(([uid, model]) => [
        uid,
        Object.freeze({ ...model, attributes: marked(model) }),
      ]),
    ),
  });
}
