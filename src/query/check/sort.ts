import { errors } from '../../errors.js';
import { targetOf } from '../../schema/find.js';
import type { Attribute, Model } from '../../schema/types.js';
import type { SortNode } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import { type CheckContext, invalidKey, joinPath } from './check-context.js';
import { checkKeyUses, type KeyUse } from './key-uses.js';

/**
 * Throws for the first key of `sort` that is unknown, not sortable or hidden from the caller (rules A.13).
 */
export function checkSort(nodes: readonly SortNode[], model: Model, context: CheckContext): void {
  // Strapi looks up names in a plain object, so it finds inherited ones and fails later, with this message.
  if (nodes.some(({ path }) => path.some((key) => key in Object.prototype)))
    throw errors.validation('sort-query-invalid', 'Invalid sort query');
  const most = context.settings.limits.maxPopulateDepth;
  if (nodes.some(({ path }) => path.length - 1 > most))
    throw errors.validation(
      'sort-too-deep',
      `The query sorts through too many levels. The maximum is ${most}.`,
    );
  checkKeyUses(
    nodes.flatMap((node) => usesOf(node, model, context)),
    context,
  );
  for (const node of nodes) checkBelowScalar(node, model, context);
}

/** Below anything but a scalar, the order counts as a key: `owner:asc` fails on the key `asc`. */
const keysOf = ({ path, order }: SortNode): readonly string[] => (order ? [...path, order] : path);

function usesOf(node: SortNode, root: Model, context: CheckContext): readonly KeyUse[] {
  const found: KeyUse[] = [];
  const keys = keysOf(node);
  let model: Model = root;
  let path: string | null = null;
  for (const [index, key] of keys.entries()) {
    const named = attributeNamed(model, key, context);
    if (named) path = joinPath(path, key);
    found.push({ key, path, ...(named ?? { attribute: null }), bare: index === keys.length - 1 });
    const target: Model | null = named && targetOf(context.schema, named.attribute);
    if (!target) break;
    model = target;
  }
  return found;
}

/** A key below a scalar, on which Strapi crashes (rules A.13). */
function checkBelowScalar(node: SortNode, root: Model, context: CheckContext): void {
  let model: Model | null = root;
  for (const [index, key] of node.path.entries()) {
    const attribute: Attribute | undefined = attributeNamed(model, key, context)?.attribute;
    const below = node.path[index + 1];
    if (attribute?.kind === 'scalar' && below !== undefined)
      throw invalidKey(context, below, node.path.slice(0, index + 1).join('.'));
    model = attribute ? targetOf(context.schema, attribute) : null;
  }
}
