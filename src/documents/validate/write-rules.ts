import { errors } from '../../errors.js';
import type { Caller, Rule } from '../../query/read-plan.js';

/** The first key that a rule does not let a body have. */
const refusedKey = ({ write, set }: Rule, keys: readonly string[]): string | undefined =>
  keys.find((key) => write !== null && !write.has(key) && !Object.hasOwn(set, key));

/**
 * The body as the rules of the caller's action leave it: with what the first rule that allows its keys sets.
 * @throws ApiError 403 `rule-refused` if none does
 */
export function permittedData(data: object, action: string, { grants }: Caller): object {
  const rules = grants?.rulesOf?.(action) ?? null;
  // A list is refused by validation.
  if (rules === null || Array.isArray(data)) return data;
  const keys = Object.keys(data);
  const rule = rules.find((one) => refusedKey(one, keys) === undefined);
  if (rule) return Object.keys(rule.set).length === 0 ? data : { ...data, ...rule.set };
  const [first] = rules;
  throw errors.ruleRefused((first && refusedKey(first, keys)) ?? 'data');
}
