import { modelOf } from '../../schema/find.js';
import type { Attribute, Model } from '../../schema/types.js';
import type { PopulateBranch, PopulateTree } from '../ast.js';
import { type CheckContext, invalidKey } from './check-context.js';
import { branchOf, emptyBranch, mayPopulate, mergeTrees, populatable } from './expand.js';
import { targetOf } from './sightings.js';

type Path = readonly string[];

type Refused = (fit: readonly Attribute[], last: boolean) => boolean;

/** Strapi looks for private attributes after everything else. */
const unfit: Refused = (fit, last) => fit.length === 0 || (!last && fit.some(({ kind }) => kind === 'media'));
const hidden: Refused = (fit) => fit.every((attribute) => attribute.private);

/** `a.b,c`: every step must be populatable; a path through something that the caller may not read goes as a whole. */
export function resolvePaths(paths: readonly Path[], model: Model, context: CheckContext): PopulateTree {
  const rules = context.settings.mode === 'rest' ? [unfit, hidden] : [unfit];
  for (const refused of rules) for (const path of paths) checkPath(path, model, refused, context);
  return mergeTrees(paths.map((path) => resolvePath(path, model, context)).filter((tree) => tree !== null));
}

function checkPath(path: Path, root: Model, refused: Refused, context: CheckContext): void {
  let models: readonly Model[] = [root];
  for (const [index, key] of path.entries()) {
    const place = path.slice(0, index + 1).join('.');
    const found = models
      .map((model) => model.attributes.get(key))
      .filter((attribute) => attribute !== undefined);
    const fit = found.filter(populatable);
    if (refused(fit, index === path.length - 1)) throw invalidKey(context, key, place);
    models = fit.flatMap((attribute) =>
      attribute.kind === 'zone'
        ? attribute.components
            .map((uid) => modelOf(context.schema, uid))
            .filter((found) => found !== undefined)
        : [targetOf(attribute, context.schema)].filter((target) => target !== null),
    );
  }
}

/** Null: nothing of it may be shown. In a zone the rest of the path holds for the components that have it. */
function resolvePath([key, ...rest]: Path, model: Model, context: CheckContext): PopulateTree | null {
  if (key === undefined) return new Map();
  const attribute = model.attributes.get(key);
  if (!attribute || !populatable(attribute) || !mayPopulate(attribute, context)) return null;
  if (rest.length === 0) return new Map([[key, branchOf(attribute, context)]]);
  const branch = branchOf(attribute, context);
  if (branch.on) {
    const on = [...branch.on.keys()].map((uid): [string, PopulateBranch] => {
      const target = modelOf(context.schema, uid);
      return [uid, { ...emptyBranch, populate: (target && resolvePath(rest, target, context)) ?? new Map() }];
    });
    return new Map([[key, { ...branch, on: new Map(on) }]]);
  }
  const target = targetOf(attribute, context.schema);
  const populate = target && resolvePath(rest, target, context);
  return populate && new Map([[key, { ...branch, populate }]]);
}
