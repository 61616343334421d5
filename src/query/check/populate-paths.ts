import { modelOf, targetOf } from '../../schema/find.js';
import type { Model } from '../../schema/types.js';
import type { PopulateBranch, PopulateTree } from '../ast.js';
import { attributeNamed, type NamedAttribute, visibleNamed } from '../attributes.js';
import { type CheckContext, invalidKey } from './check-context.js';
import { branchOf, emptyBranch, mergeTrees, populatable } from './expand.js';

type Path = readonly string[];

/**
 * `counts` accepts the attributes that a path may pass through; `refuses` rejects a step by those that fit.
 */
interface Rule {
  counts(named: NamedAttribute): boolean;
  refuses(fit: readonly NamedAttribute[], last: boolean): boolean;
}

const unfit: Rule = {
  counts: () => true,
  refuses: (fit, last) =>
    fit.length === 0 || (!last && fit.some(({ attribute }) => attribute.kind === 'media')),
};
/**
 * Strapi checks for private attributes after everything else. A private attribute of one component does not
 * hide that of another with the same name.
 */
const hidden: Rule = { counts: (named) => named.hidden !== 'private', refuses: (fit) => fit.length === 0 };

/**
 * `a.b,c`: every step must be populatable. A path through anything that the caller may not read is dropped as
 * a whole.
 */
export function resolvePaths(paths: readonly Path[], model: Model, context: CheckContext): PopulateTree {
  const rules = context.settings.mode === 'rest' ? [unfit, hidden] : [unfit];
  for (const rule of rules) for (const path of paths) checkPath(path, model, rule, context);
  return mergeTrees(paths.map((path) => resolvePath(path, model, context)).filter((tree) => tree !== null));
}

function checkPath(path: Path, root: Model, rule: Rule, context: CheckContext): void {
  let models: readonly Model[] = [root];
  for (const [index, key] of path.entries()) {
    const place = path.slice(0, index + 1).join('.');
    const fit = models
      .map((model) => attributeNamed(model, key, context))
      .filter((named) => named !== null)
      .filter((named) => populatable(named.attribute) && rule.counts(named));
    if (rule.refuses(fit, index === path.length - 1)) throw invalidKey(context, key, place);
    models = fit.flatMap(({ attribute }) =>
      attribute.kind === 'zone'
        ? attribute.components
            .map((uid) => modelOf(context.schema, uid))
            .filter((found) => found !== undefined)
        : [targetOf(context.schema, attribute)].filter((target) => target !== null),
    );
  }
}

/**
 * Null if nothing of the path may be shown. In a zone, the rest of the path applies to the components where
 * it may be.
 */
function resolvePath([key, ...rest]: Path, model: Model, context: CheckContext): PopulateTree | null {
  if (key === undefined) return new Map();
  const attribute = visibleNamed(model, key, context);
  if (!attribute || !populatable(attribute)) return null;
  if (rest.length === 0) return new Map([[key, branchOf(attribute, context)]]);
  const branch = branchOf(attribute, context);
  if (branch.on) {
    const on = [...branch.on.keys()].map((uid): [string, PopulateBranch] => {
      const target = modelOf(context.schema, uid);
      return [uid, { ...emptyBranch, populate: (target && resolvePath(rest, target, context)) ?? new Map() }];
    });
    return new Map([[key, { ...branch, on: new Map(on) }]]);
  }
  const target = targetOf(context.schema, attribute);
  const populate = target && resolvePath(rest, target, context);
  return populate && new Map([[key, { ...branch, populate }]]);
}
