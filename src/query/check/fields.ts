import type { Model } from '../../schema/types.js';
import type { FieldsNode } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import { type CheckContext, invalidKey } from './check-context.js';

/**
 * Throws for the first name in `fields` that is not a scalar, then for hidden ones, private attributes before
 * passwords (rules A.12).
 */
export function checkFields(node: FieldsNode, model: Model, context: CheckContext): void {
  const known = node.names.map((name) => ({ name, named: attributeNamed(model, name, context) }));
  for (const { name, named } of known)
    if (named?.attribute.kind !== 'scalar') throw invalidKey(context, name, named ? name : null);
  const hidden =
    known.find(({ named }) => named?.hidden === 'private') ??
    known.find(({ named }) => named?.hidden !== null);
  if (hidden) throw invalidKey(context, hidden.name, hidden.name);
}
