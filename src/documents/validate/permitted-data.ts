import { errors } from '../../errors.js';
import type { Caller, Rule } from '../../query/read-plan.js';

/** The first key that a rule does not let a body have. */
const refusedKey = ({ write, set }: Rule, keys: readonly string[]): string | undefined =>
  keys.find((key) => write !== null && !write.has(key) && !Object.hasOwn(set, key));

interface Permitted {
  /** With what the rules set. */
  readonly data: object;
  /** The rules that allow the keys of the body; null: the action has none. */
  readonly rules: readonly Rule[] | null;
}

/**
 * The body as the rules of the caller's action leave it.
 * @throws ApiError 403 `rule-refused` if none allows its keys
 */
export function permittedData(data: object, action: string, { grants }: Caller): Permitted {
  const all = grants?.rulesOf?.(action) ?? null;
  // A list is refused by validation.
  if (all === null || Array.isArray(data)) return { data, rules: all };
  const keys = Object.keys(data);
  const rules = all.filter((one) => refusedKey(one, keys) === undefined);
  const [first] = all;
  if (rules.length === 0) throw errors.ruleRefused((first && refusedKey(first, keys)) ?? 'data');
  // Of an action with `set` there is only one.
  return { data: { ...data, ...rules[0]?.set }, rules };
}
