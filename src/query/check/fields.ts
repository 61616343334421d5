import type { Model, ScalarAttribute } from '../../schema/types.js';
import type { FieldsNode } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import { type CheckContext, invalidKey } from './check-context.js';

/**
 * Throws for the first name in `fields` that is not a scalar, then for hidden ones, private attributes before
 * passwords. Null: all scalars.
 */
export function checkFields(
  { names, wildcard }: FieldsNode,
  model: Model,
  context: CheckContext,
): readonly ScalarAttribute[] | null {
  const known = names.map((name) => {
    const named = attributeNamed(model, name, context);
    if (named?.attribute.kind !== 'scalar') throw invalidKey(context, name, named ? name : null);
    return { attribute: named.attribute, hidden: named.hidden };
  });
  const hidden =
    known.find((named) => named.hidden === 'private') ?? known.find((named) => named.hidden !== null);
  if (hidden) throw invalidKey(context, hidden.attribute.name, hidden.attribute.name);
  return wildcard ? null : known.map(({ attribute }) => attribute);
}
