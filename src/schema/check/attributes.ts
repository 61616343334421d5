import { type Problem, problemAt, type Repair } from '../error.js';
import type { ModelSource, RawAttribute } from '../files/raw.js';
import { storageOf } from '../model/storage.js';
import { SYSTEM_TYPES } from '../model/system.js';
import { enumName, isRefusedAttribute, snakeCase } from '../names.js';
import { isScalarType, readDefault, scalarOf, UNFIT } from '../scalars/index.js';

/** In Strapi's tables; a relation has no column, so another name that differs from it in case is free. */
const systemColumns = new Map(
  Object.entries(SYSTEM_TYPES)
    .filter(([, type]) => type !== 'relation')
    .map(([name]) => [snakeCase(name), name]),
);
/** What to do about a name that Strapi 4 allowed. */
const OF_STRAPI_4 = new Map([
  ['document_id', '. In a project of Strapi 4, rename it to documentId_v4: an import puts its values there'],
]);
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

/** Checks the attributes of a model by themselves: their names, and options that contradict each other. */
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
      ...[...optionProblems(raw, source.raw.attributes), ...enumProblems(source, raw)].map(
        ([option, expected]) =>
          problemAt(source.file, `${path}.${option}`, expected, optionRepair(path, option)),
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
  if (isRefusedAttribute(name))
    return [`another name: "${name}" is reserved${OF_STRAPI_4.get(column) ?? ''}`];
  if (earlier !== undefined) return [`another name: "${name}" and "${earlier}" are the same in snake_case`];
  // A document of another program may have a field with the name of an automatic attribute, which does not
  // exist there.
  if (source.model === 'component' || storageOf(source)) return [];
  const system = Object.hasOwn(SYSTEM_TYPES, name) ? name : systemColumns.get(column);
  const repeated = system === name && SYSTEM_TYPES[name] === raw.type;
  return system === undefined || repeated
    ? []
    : [`another name: every content type has an attribute "${system}" already`];
}

/** An enumeration that Strapi refuses becomes text; other options that contradict each other are left out. */
const optionRepair = (path: string, option: string): Repair =>
  option === 'enum' ? { starts: false, at: `${path}.type`, value: 'string' } : { starts: true };

type OptionProblem = readonly [option: string, expected: string];

function optionProblems(
  raw: RawAttribute,
  siblings: Readonly<Record<string, RawAttribute>>,
): readonly OptionProblem[] {
  const problems: OptionProblem[] = [];
  if (raw.regex !== undefined && !isRegex(raw.regex))
    problems.push(['regex', `a regular expression, not ${JSON.stringify(raw.regex)}`]);
  if (isOver(raw.minLength, raw.maxLength))
    problems.push(['minLength', `at most "maxLength", which is ${raw.maxLength}`]);
  if (isOver(raw.min, raw.max)) problems.push(['min', `at most "max", which is ${raw.max}`]);
  if (raw.type === 'uid') problems.push(...uidProblems(raw, siblings));
  if (isScalarType(raw.type) && readDefault(raw.type, raw.default, raw.enum ?? []) === UNFIT)
    problems.push(['default', scalarOf(raw.type).defaultWords]);
  return problems;
}

/** Strapi asks of the values of content types, not of those of components, that GraphQL could name them. */
function enumProblems({ model }: ModelSource, raw: RawAttribute): readonly OptionProblem[] {
  if (raw.type !== 'enumeration' || model === 'component') return [];
  const seen = new Map<string, string>();
  return (raw.enum ?? []).flatMap((value): readonly OptionProblem[] => {
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

/** Whether both are numbers or digits, and the first is greater. A type without such options may have anything. */
const isOver = (min: unknown, max: unknown): boolean => {
  const isNumber = (value: unknown): boolean => Number.isFinite(value) || /^[+-]?\d+$/.test(String(value));
  if (!isNumber(min) || !isNumber(max)) return false;
  return typeof min === 'number' && typeof max === 'number' ? min > max : whole(min) > whole(max);
};

const whole = (value: unknown): bigint =>
  BigInt(typeof value === 'number' ? Math.trunc(value) : String(value).replace(/^\+/, ''));

function isRegex(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}
