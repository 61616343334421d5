import { targetOf } from '../../schema/find.js';
import type { Model } from '../../schema/types.js';
import type { FilterNode } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import type { CheckedFilter } from '../checked.js';
import { isOperator } from '../operators.js';
import { type CheckContext, joinPath } from './check-context.js';
import { checkKeyUses, type KeyUse } from './key-uses.js';

/** Throws for the first key of `filters` that is unknown, not filterable or hidden from the caller. */
export function checkFilters(node: FilterNode, model: Model, context: CheckContext): CheckedFilter {
  const uses: KeyUse[] = [];
  const resolved = resolve(node, { model, path: null }, context, uses);
  checkKeyUses(uses, context);
  return resolved;
}

/** The position of a node. Below a scalar there is no model, so any attribute there is unknown. */
interface FilterScope {
  readonly model: Model | null;
  readonly path: string | null;
}

/** Strapi does not count these as attributes, so they are in no path. */
const isIdentifier = (name: string): boolean => name === 'id' || name === 'documentId';

/** Stands for what `checkKeyUses` refuses. */
const NOTHING: CheckedFilter = { kind: 'all', of: [] };

/** Resolves the names of a filter and lists its keys, of which any may still have to be refused. */
function resolve(node: FilterNode, place: FilterScope, context: CheckContext, uses: KeyUse[]): CheckedFilter {
  switch (node.kind) {
    case 'operator': {
      const { operator } = node;
      uses.push({ key: operator, path: place.path, attribute: null, operator: isOperator(operator) });
      return node;
    }
    case 'attribute': {
      const named = attributeNamed(place.model, node.attribute, context);
      if (!named) {
        uses.push({ key: node.attribute, path: place.path, attribute: null });
        return NOTHING;
      }
      const { attribute } = named;
      const path = isIdentifier(attribute.name) ? place.path : joinPath(place.path, node.attribute);
      uses.push({ key: node.attribute, path, ...named });
      const model = targetOf(context.schema, attribute);
      const entered = model || attribute.kind === 'scalar';
      return {
        kind: 'attribute',
        attribute,
        of: entered ? resolve(node.of, { model, path }, context, uses) : NOTHING,
      };
    }
    default:
      return { ...node, of: node.of.map((child) => resolve(child, place, context, uses)) };
  }
}
