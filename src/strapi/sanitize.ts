import type { Showing } from '../documents/middleware.js';
import { mayFind, restViewer, schemaAttribute, type Viewer, visibleNamed } from '../query/attributes.js';
import type { Caller } from '../query/read-plan.js';
import { modelOf, targetOf } from '../schema/find.js';
import type { Attribute, Model, Schema } from '../schema/types.js';
import { isPlainObject } from '../values/plain-object.js';
import type { Live } from './live.js';
import type { Values } from './types.js';

/** Attributes that Strapi hides where a type does not have them. */
const HIDDEN: ReadonlySet<string> = new Set(['locale', 'localizations', 'createdBy', 'updatedBy']);

interface Scope {
  readonly schema: Schema;
  readonly viewer: Viewer;
  /** Whether items of components show their `id`. */
  readonly componentIds: boolean;
}

/**
 * Entries as a caller of the REST API may see them: without private attributes, passwords, and relations to types
 * that the caller may not find. Members that are no attributes stay as they are: code has added them.
 */
export const sanitizeOutput = (
  data: unknown,
  model: Model,
  { schema, caller, componentIds }: Omit<Scope, 'viewer'> & { readonly caller: Caller },
): unknown => shown(data, model, { schema, componentIds, viewer: restViewer(caller) });

/** The same for the results of requests that hooks have seen. */
export const showingOf =
  ({ schema, config }: Pick<Live, 'schema' | 'config'>): Showing =>
  (data, type, caller) =>
    sanitizeOutput(data, type, { schema, caller, componentIds: config.rest.componentIds });

function shown(data: unknown, model: Model, scope: Scope): unknown {
  if (Array.isArray(data)) return data.map((item) => shown(item, model, scope));
  if (!isPlainObject(data)) return data;
  const result: Values = {};
  for (const [name, value] of Object.entries(data)) {
    if (name === 'id' && model.modelType === 'component' && !scope.componentIds) continue;
    const attribute = visibleNamed(model, name, scope.viewer);
    if (attribute) result[name] = shownValue(value, attribute, scope);
    else if (!HIDDEN.has(name) && !schemaAttribute(model, name)) result[name] = value;
  }
  return result;
}

function shownValue(value: unknown, attribute: Attribute, scope: Scope): unknown {
  if (attribute.kind === 'scalar') return value;
  const target = targetOf(scope.schema, attribute);
  if (target) return shown(value, target, scope);
  // A dynamic zone or a polymorphic relation: each item names its model.
  const items = (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => {
    if (!isPlainObject(item)) return [];
    const named = modelOf(scope.schema, String(item['__component'] ?? item['__type']));
    if (!named || (attribute.kind === 'relation' && !mayFind(scope.viewer.caller, named))) return [];
    return [shown(item, named, scope)];
  });
  return Array.isArray(value) ? items : (items[0] ?? null);
}
