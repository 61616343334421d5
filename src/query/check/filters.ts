import { targetOf } from '../../schema/find.js';
import type { Model } from '../../schema/types.js';
import type { FilterNode } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import { isOperator } from '../operators.js';
import { type CheckContext, joinPath } from './check-context.js';
import { checkKeyUses, type KeyUse } from './key-uses.js';

/**
 * Throws for the first key of `filters` that is unknown, not filterable or hidden from the caller (rules B.7,
 * B.9, A.16).
 */
export function checkFilters(node: FilterNode, model: Model, context: CheckContext): void {
  const uses: KeyUse[] = [];
  walk(node, { model, path: null }, context, uses);
  checkKeyUses(uses, context);
}

/** The position of a node. Below a scalar there is no model, so any attribute there is unknown. */
interface FilterScope {
  readonly model: Model | null;
  readonly path: string | null;
}

function walk(node: FilterNode, place: FilterScope, context: CheckContext, into: KeyUse[]): void {
  switch (node.kind) {
    case 'operator':
      into.push({
        key: node.operator,
        path: place.path,
        attribute: null,
        operator: isOperator(node.operator),
      });
      return;
    case 'attribute': {
      const named = attributeNamed(place.model, node.name, context);
      if (!named) {
        into.push({ key: node.name, path: place.path, attribute: null });
        return;
      }
      const { attribute } = named;
      const path = joinPath(place.path, node.name);
      into.push({ key: node.name, path, ...named });
      const model = targetOf(context.schema, attribute);
      if (model || attribute.kind === 'scalar') walk(node.of, { model, path }, context, into);
      return;
    }
    default:
      for (const child of node.of) walk(child, place, context, into);
  }
}
