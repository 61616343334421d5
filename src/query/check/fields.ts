import type { Model } from '../../schema/types.js';
import type { FieldsNode } from '../ast.js';
import { type CheckContext, invalidKey } from './check-context.js';

/** Throws for the first name of `fields` that is no scalar, or private to the caller (rules A.12). */
export function checkFields(node: FieldsNode, model: Model, context: CheckContext): void {
  const known = node.names.map((name) => ({ name, attribute: model.attributes.get(name) ?? null }));
  for (const { name, attribute } of known)
    if (attribute?.kind !== 'scalar') throw invalidKey(context, name, attribute ? name : null);
  if (context.settings.mode === 'service') return;
  for (const { name, attribute } of known)
    if (attribute?.private || (attribute?.kind === 'scalar' && attribute.type === 'password'))
      throw invalidKey(context, name, name);
}
