import { errors } from '../../errors.js';
import { targetOf } from '../../schema/find.js';
import type { Attribute, Model } from '../../schema/types.js';
import type { SortNode } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import type { CheckedSort } from '../checked.js';
import { type CheckContext, invalidKey, joinPath } from './check-context.js';
import { checkKeyUses, type KeyUse } from './key-uses.js';

/** Throws for the first key of `sort` that is unknown, not sortable or hidden from the caller. */
export function checkSort(
  nodes: readonly SortNode[],
  model: Model,
  context: CheckContext,
): readonly CheckedSort[] {
  // Strapi looks up names in a plain object, so it finds inherited ones and fails later, with this message.
  if (nodes.some(({ path }) => path.some((key) => key in Object.prototype)))
    throw errors.validation('sort-query-invalid', 'Invalid sort query');
  const most = context.settings.limits.maxPopulateDepth;
  if (nodes.some(({ path }) => path.length - 1 > most))
    throw errors.validation(
      'sort-too-deep',
      `The query sorts through too many levels. The maximum is ${most}.`,
    );
  const uses: KeyUse[] = [];
  const resolved = nodes.map((node) => resolve(node, model, context, uses));
  checkKeyUses(uses, context);
  for (const [at, { path }] of resolved.entries()) checkBelowScalar(nodes[at]?.path ?? [], path, context);
  return resolved;
}

/** Below anything but a scalar, the order counts as a key: `owner:asc` fails on the key `asc`. */
const keysOf = ({ path, order }: SortNode): readonly string[] => (order ? [...path, order] : path);

/** Resolves a path up to its first scalar and lists its keys, of which any may still have to be refused. */
function resolve(node: SortNode, root: Model, context: CheckContext, uses: KeyUse[]): CheckedSort {
  const attributes: Attribute[] = [];
  const keys = keysOf(node);
  let model: Model = root;
  let path: string | null = null;
  for (const [index, key] of keys.entries()) {
    const named = attributeNamed(model, key, context);
    if (named) path = joinPath(path, key);
    uses.push({ key, path, ...(named ?? { attribute: null }), bare: index === keys.length - 1 });
    if (named && index < node.path.length) attributes.push(named.attribute);
    const target: Model | null = named && targetOf(context.schema, named.attribute);
    if (!target) break;
    model = target;
  }
  return { path: attributes, order: node.order };
}

/** A key below a scalar, on which Strapi crashes. */
function checkBelowScalar(
  names: readonly string[],
  attributes: readonly Attribute[],
  context: CheckContext,
): void {
  const below = names[attributes.length];
  if (attributes.at(-1)?.kind === 'scalar' && below !== undefined)
    throw invalidKey(context, below, names.slice(0, attributes.length).join('.'));
}
