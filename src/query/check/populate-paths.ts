import { modelOf, targetOf } from '../../schema/find.js';
import type { Attribute, Model } from '../../schema/types.js';
import { attributeNamed, type NamedAttribute } from '../attributes.js';
import type { PopulateBranch, PopulateTree } from '../checked.js';
import { type CheckContext, invalidKey } from './check-context.js';
import { branchOf, emptyBranch, mergeTrees, populatable } from './expand.js';

type Path = readonly string[];

/** A populatable attribute on a path. */
interface Step extends NamedAttribute {
  readonly model: Model;
  /** The next steps, in the models that the attribute leads to: several for a zone. */
  readonly next: readonly Step[];
}

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
  const resolved = paths.map((path) => ({ path, steps: stepsOf(path, [model], context) }));
  const rules = context.settings.mode === 'rest' ? [unfit, hidden] : [unfit];
  for (const rule of rules) for (const { path, steps } of resolved) checkPath(path, steps, rule, context);
  return mergeTrees(
    resolved.map(({ path, steps }) => treeOf(path, steps, context)).filter((tree) => tree !== null),
  );
}

function stepsOf([key, ...rest]: Path, models: readonly Model[], context: CheckContext): readonly Step[] {
  if (key === undefined) return [];
  return models.flatMap((model) => {
    const named = attributeNamed(model, key, context);
    if (!named || !populatable(named.attribute)) return [];
    return { ...named, model, next: stepsOf(rest, modelsOf(named.attribute, context), context) };
  });
}

const modelsOf = (attribute: Attribute, { schema }: CheckContext): readonly Model[] =>
  attribute.kind === 'zone'
    ? attribute.components.map((uid) => modelOf(schema, uid)).filter((found) => found !== undefined)
    : [targetOf(schema, attribute)].filter((target) => target !== null);

function checkPath(path: Path, steps: readonly Step[], rule: Rule, context: CheckContext): void {
  let fit = steps.filter(rule.counts);
  for (const [index, key] of path.entries()) {
    if (rule.refuses(fit, index === path.length - 1))
      throw invalidKey(context, key, path.slice(0, index + 1).join('.'));
    fit = fit.flatMap(({ next }) => next).filter(rule.counts);
  }
}

/**
 * Null if nothing of the path may be shown. In a zone, the rest of the path applies to the components where
 * it may be.
 */
function treeOf([key, ...rest]: Path, steps: readonly Step[], context: CheckContext): PopulateTree | null {
  if (key === undefined) return new Map();
  const [step] = steps;
  if (step?.hidden !== null) return null;
  const branch = branchOf(step.attribute, context);
  if (rest.length === 0) return new Map([[key, branch]]);
  if (branch.on) {
    const on = [...branch.on.keys()].map((uid): [string, PopulateBranch] => {
      const below = step.next.filter(({ model }) => model.uid === uid);
      return [uid, { ...emptyBranch, populate: treeOf(rest, below, context) ?? new Map() }];
    });
    return new Map([[key, { ...branch, on: new Map(on) }]]);
  }
  const populate = treeOf(rest, step.next, context);
  return populate && new Map([[key, { ...branch, populate }]]);
}
