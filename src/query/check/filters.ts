import type { Model, Schema } from '../../schema/types.js';
import type { FilterNode } from '../ast.js';
import { isOperator } from '../operators.js';
import { type CheckContext, joinPath } from './check-context.js';
import { checkSightings, type Sighting, targetOf } from './sightings.js';

/** Throws for the first key of `filters` that is unknown, not filterable or not the caller's (rules B.7, B.9, A.16). */
export function checkFilters(node: FilterNode, model: Model, context: CheckContext): void {
  const sightings: Sighting[] = [];
  walk(node, { model, path: null }, context.schema, sightings);
  checkSightings(sightings, context);
}

/** Where a node stands; below a scalar there is no model, so any attribute there is unknown. */
interface Place {
  readonly model: Model | null;
  readonly path: string | null;
}

function walk(node: FilterNode, place: Place, schema: Schema, into: Sighting[]): void {
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
      const attribute = place.model?.attributes.get(node.name) ?? null;
      if (!attribute) {
        into.push({ key: node.name, path: place.path, attribute });
        return;
      }
      const path = joinPath(place.path, node.name);
      into.push({ key: node.name, path, attribute });
      const model = targetOf(attribute, schema);
      if (model || attribute.kind === 'scalar') walk(node.of, { model, path }, schema, into);
      return;
    }
    default:
      for (const child of node.of) walk(child, place, schema, into);
  }
}
