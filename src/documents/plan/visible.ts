import { isObject, type PlainObject } from '../../values/plain-object.js';

type Operator = (args: readonly unknown[], data: PlainObject) => unknown;

const truthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const readPath = (data: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      data,
    );

const nil = (value: unknown): unknown => value ?? null;
const same = (left: unknown, right: unknown): boolean =>
  Object.is(nil(left), nil(right)) ||
  (typeof left !== typeof right &&
    nil(left) !== null &&
    nil(right) !== null &&
    String(left) === String(right));

const compare =
  (test: (left: number | string, right: number | string) => boolean): Operator =>
  ([left, right]) =>
    typeof left === 'string' && typeof right === 'string'
      ? test(left, right)
      : test(Number(left), Number(right));

/**
 * The JSON-logic operators that an attribute's `conditions.visible` may use (rules D.4). Arguments are
 * evaluated first.
 */
const operators: Readonly<Record<string, Operator>> = {
  var: ([path, otherwise], data) => readPath(data, String(path)) ?? otherwise ?? null,
  '==': ([left, right]) => same(left, right),
  '===': ([left, right]) => Object.is(nil(left), nil(right)),
  '!=': ([left, right]) => !same(left, right),
  '!==': ([left, right]) => !Object.is(nil(left), nil(right)),
  '>': compare((left, right) => left > right),
  '>=': compare((left, right) => left >= right),
  '<': compare((left, right) => left < right),
  '<=': compare((left, right) => left <= right),
  '!': ([value]) => !truthy(value),
  '!!': ([value]) => truthy(value),
  in: ([value, within]) =>
    (Array.isArray(within) && within.includes(value)) ||
    (typeof within === 'string' && within.includes(String(value))),
  and: (args) => args.every(truthy),
  or: (args) => args.some(truthy),
  if: ([test, yes, no]) => (truthy(test) ? yes : no),
};

const evaluate = (logic: unknown, data: PlainObject): unknown => {
  if (Array.isArray(logic)) return logic.map((part) => evaluate(part, data));
  if (!isObject(logic)) return logic;
  const [name] = Object.keys(logic);
  const operator = name === undefined || !Object.hasOwn(operators, name) ? undefined : operators[name];
  // An unknown operator hides nothing: the attribute is validated.
  if (name === undefined || operator === undefined) return true;
  const args = logic[name];
  return operator(
    (Array.isArray(args) ? args : [args]).map((arg) => evaluate(arg, data)),
    data,
  );
};

/** Whether the condition of an attribute holds, so that it is validated. */
export const isVisible = (condition: unknown, data: PlainObject): boolean =>
  condition === undefined || condition === null || truthy(evaluate(condition, data));
