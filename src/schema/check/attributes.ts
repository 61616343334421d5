import { type Problem, problemAt } from '../error.js';
import type { ModelSource, RawAttribute } from '../files/raw.js';
import { storageOf } from '../model/storage.js';
import { SYSTEM_TYPES } from '../model/system.js';
import { enumName, REFUSED_ATTRIBUTES, snakeCase } from '../names.js';
import { isScalarType, readDefault, scalarOf, UNFIT } from '../scalars/index.js';

const systemColumns = new Map(Object.keys(SYSTEM_TYPES).map((name) => [snakeCase(name), name]));
/** The types that a `uid` may be generated from. */
const NAMEABLE = new Set<string>([
  'string',
  'text',
  'richtext',
  'email',
  'enumeration',
  'integer',
  'biginteger',
]);

/**
 * Checks the attributes of a model by themselves: their names, and options that contradict each other (rules
 * D.4, D.6).
 */
export function checkAttributes(source: ModelSource): readonly Problem[] {
  const entries = Object.entries(source.raw.attributes);
  const problem = (path: string, expected: string): Problem => problemAt(source.file, path, expected);
  const columns = new Map<string, string>();
  return entries.flatMap(([name, raw]) => {
    const path = `attributes.${name}`;
    const column = snakeCase(name);
    const earlier = columns.get(column);
    columns.set(column, name);
    return [
      ...nameProblems(source, name, raw, earlier).map((expected) => problem(path, expected)),
      ...optionProblems(raw, source.raw.attributes).map(([option, expected]) =>
        problem(`${path}.${option}`, expected),
      ),
    ];
  });
}

function nameProblems(
  source: ModelSource,
  name: string,
  raw: RawAttribute,
  earlier: string | undefined,
): readonly string[] {
  const column = snakeCase(name);
  if (REFUSED_ATTRIBUTES.has(column)) return [`another name: "${name}" is reserved`];
  if (earlier !== undefined) return [`another name: "${name}" and "${earlier}" are the same in snake_case`];
  // A document of another program may have a field with the name of an automatic attribute, which does not
  // exist there.
  if (source.model === 'component' || storageOf(source)) return [];
  const system = systemColumns.get(column);
  const repeated = system === name && SYSTEM_TYPES[name] === raw.type;
  return system === undefined || repeated
    ? []
    : [`another name: every content type has an attribute "${system}" already`];
}

type OptionProblem = readonly [option: string, expected: string];

function optionProblems(
  raw: RawAttribute,
  siblings: Readonly<Record<string, RawAttribute>>,
): readonly OptionProblem[] {
  const problems: OptionProblem[] = [];
  if (raw.regex !== undefined && !isRegex(raw.regex))
    problems.push(['regex', `a regular expression, not ${JSON.stringify(raw.regex)}`]);
  if ((raw.minLength ?? 0) > (raw.maxLength ?? Number.POSITIVE_INFINITY))
    problems.push(['minLength', `at most "maxLength", which is ${raw.maxLength}`]);
  if (raw.min !== undefined && raw.max !== undefined && isOver(raw.min, raw.max))
    problems.push(['min', `at most "max", which is ${raw.max}`]);
  if (raw.type === 'enumeration') problems.push(...enumProblems(raw.enum ?? []));
  if (raw.type === 'uid') problems.push(...uidProblems(raw, siblings));
  if (isScalarType(raw.type) && readDefault(raw.type, raw.default, raw.enum ?? []) === UNFIT)
    problems.push(['default', scalarOf(raw.type).defaultWords]);
  return problems;
}

function enumProblems(values: readonly string[]): readonly OptionProblem[] {
  const seen = new Map<string, string>();
  return values.flatMap((value): readonly OptionProblem[] => {
    const name = enumName(value);
    const earlier = seen.get(name);
    seen.set(name, value);
    if (/^\p{N}/u.test(name)) return [['enum', `values that do not begin with a digit, not "${value}"`]];
    return earlier === undefined || earlier === value
      ? []
      : [['enum', `values that stay distinct when punctuation is removed: "${earlier}" and "${value}"`]];
  });
}

function uidProblems(
  raw: RawAttribute,
  siblings: Readonly<Record<string, RawAttribute>>,
): readonly OptionProblem[] {
  if (raw.targetField === undefined) return [];
  const target = Object.hasOwn(siblings, raw.targetField) ? siblings[raw.targetField] : undefined;
  return [
    ...(target && NAMEABLE.has(target.type)
      ? []
      : ([['targetField', `a string attribute of the same model, not "${raw.targetField}"`]] as const)),
    ...(raw.default === undefined || raw.default === null
      ? []
      : ([['default', 'none, since "targetField" provides the value']] as const)),
  ];
}

const isOver = (min: number | string, max: number | string): boolean =>
  typeof min === 'string' || typeof max === 'string' ? BigInt(min) > BigInt(max) : min > max;

function isRegex(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}
