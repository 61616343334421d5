import type { ErrorObject } from 'ajv';
import { type Problem, problemAt } from '../error.js';
import { fileValidators } from './file-validators.js';
import { ATTRIBUTE_TYPES } from './meta-attribute.js';
import type { SchemaFile } from './read.js';
import { shapeRepair } from './shape-repairs.js';

/** The problems in the shape of one file; empty if it is valid. */
export function validateFile(file: SchemaFile): readonly Problem[] {
  if (file.unreadable !== undefined) return [problemAt(file.file, '', file.unreadable)];
  const validate = fileValidators()[file.kind];
  if (validate(file.content)) return [];
  return (validate.errors ?? []).flatMap((error) => {
    const expected = describe(error);
    const path = pathOf(error);
    // A name may be anything, also one that looks like a path.
    const repair = error.propertyName === undefined ? shapeRepair(file, path) : null;
    return expected === null ? [] : [problemAt(file.file, path, expected, repair ?? undefined)];
  });
}

const pathOf = (error: ErrorObject): string => {
  const at = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const more = error.keyword === 'required' ? error.params['missingProperty'] : error.propertyName;
  return [at, more].filter((part) => part !== undefined && part !== '').join('.');
};

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

const list = (values: unknown): string =>
  Array.isArray(values) ? values.map(show).join(', ') : show(values);

/** The message for an ajv error; null for errors that only repeat another. */
function describe({ keyword, data, message, params, parentSchema }: ErrorObject): string | null {
  const got = `, not ${show(data)}`;
  const says = SAYS[keyword];
  return says ? says({ ...parentSchema, ...params }, got) : `${message ?? keyword}${got}`;
}

/** What was expected, by failed keyword, from its parameters and schema; null if another error says it. */
const SAYS: Readonly<Record<string, (params: ErrorObject['params'], got: string) => string | null>> = {
  required: () => 'missing',
  type: ({ type }, got) => `${[type].flat().join(' or ')}${got}`,
  enum: ({ allowedValues }, got) => `one of ${list(allowedValues)}${got}`,
  pattern: ({ pattern, description }, got) => `${description ?? `text that fits ${pattern}`}${got}`,
  // If there is no type at all, "missing" is reported.
  discriminator: ({ tagValue }) =>
    tagValue === undefined ? null : `"type" is one of ${ATTRIBUTE_TYPES.join(', ')}, not ${show(tagValue)}`,
  minLength: () => 'not empty',
  minItems: () => 'not empty',
  minProperties: () => 'not empty',
  maxLength: ({ limit }) => `at most ${limit} characters`,
  minimum: ({ limit }, got) => `a number from ${limit} on${got}`,
  maximum: ({ limit }, got) => `a number up to ${limit}${got}`,
  uniqueItems: (_, got) => `no value twice${got}`,
  propertyNames: () => null,
  additionalProperties: ({ additionalProperty }) => `"${additionalProperty}" is not an option here`,
};
