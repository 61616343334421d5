import type { ErrorObject } from 'ajv';
import type { Problem } from './error.js';
import { fileValidators } from './file-validators.js';
import type { SchemaFile } from './files.js';
import { COLLECTION, DATABASE, FIELD_PATH, PATH } from './meta.js';
import { ATTRIBUTE_TYPES } from './meta-attribute.js';

/** What is wrong with the shape of one file; empty where nothing is. */
export function validateFile(file: SchemaFile): readonly Problem[] {
  if (file.unreadable !== undefined) return [{ file: file.file, path: '', expected: file.unreadable }];
  const validate = fileValidators()[file.kind];
  if (validate(file.content)) return [];
  return (validate.errors ?? []).flatMap((error) => {
    const expected = describe(error);
    return expected === null ? [] : [{ file: file.file, path: pathOf(error), expected }];
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

const PATH_SAYS = 'a field or a dotted path, no part of which is empty or begins with $';

/** What a pattern of the meta-schema means to a person. */
const PATTERNS: Readonly<Record<string, string>> = {
  [PATH]: PATH_SAYS,
  [FIELD_PATH]: PATH_SAYS,
  [COLLECTION]: 'the name of a collection, without $ and not of the system',
  [DATABASE]: 'the name of a database',
  '^[a-z][a-z0-9]*(-[a-z0-9]+)*$': 'a kebab-case name such as "blog-post"',
  '^[A-Za-z][-_0-9A-Za-z]*$': 'a name of letters, digits, - and _ that begins with a letter',
  '^[A-Za-z][_0-9A-Za-z]*$': 'an attribute name of letters, digits and _ that begins with a letter',
  '^[+-]?\\d+$': 'an integer in quotes',
  '^[a-z]+::[^.\\s]+(\\.[^.\\s]+)?$': 'a uid such as "api::article.article"',
  '^[A-Za-z][-_0-9A-Za-z]*\\.[-_0-9A-Za-z]+$': 'a component such as "shared.seo"',
};

const list = (values: unknown): string =>
  Array.isArray(values) ? values.map(show).join(', ') : show(values);

/** One ajv error in words; null for errors that only repeat another. */
function describe(error: ErrorObject): string | null {
  const got = `, not ${show(error.data)}`;
  const params = error.params;
  switch (error.keyword) {
    case 'required':
      return 'missing';
    case 'type':
      return `${[params['type']].flat().join(' or ')}${got}`;
    case 'enum':
      return `one of ${list(params['allowedValues'])}${got}`;
    case 'pattern':
      return `${PATTERNS[params['pattern']] ?? `text that fits ${params['pattern']}`}${got}`;
    case 'discriminator':
      // Where there is no type at all, "missing" says so.
      if (params['tagValue'] === undefined) return null;
      return `"type" is one of ${ATTRIBUTE_TYPES.join(', ')}, not ${show(params['tagValue'])}`;
    case 'minLength':
    case 'minItems':
      return 'not empty';
    case 'maxLength':
      return `at most ${params['limit']} characters`;
    case 'minimum':
      return `a number from ${params['limit']} on${got}`;
    case 'maximum':
      return `a number up to ${params['limit']}${got}`;
    case 'uniqueItems':
      return `no value twice${got}`;
    case 'propertyNames':
      return null;
    case 'additionalProperties':
      return `"${params['additionalProperty']}" is not an option here`;
    default:
      return `${error.message ?? error.keyword}${got}`;
  }
}
