/** The tools that read. */
import {
  arrayOf,
  integerSchema,
  objectSchema,
  openObjectOf,
  stringSchema,
} from '../describe/contract/json-schema.js';
import type { Schemas } from '../describe/contract/types.js';
import { errors } from '../errors.js';
import type { RawObject } from '../query/ast.js';
import { OPERATORS } from '../query/operators.js';
import { DESCRIPTION_PARTS, type DescriptionPart, describeType, summaryOf, USUAL } from './describe-type.js';
import {
  documentInput,
  FILTERS,
  listingInput,
  localeInput,
  SHOWING,
  siblingsInput,
  statusInput,
  typeInput,
} from './inputs.js';
import { can, documentIn, reply, say, send, type Tool, typeIn } from './tool.js';
import type { Arguments } from './types.js';

const READS = { readOnlyHint: true, openWorldHint: false } as const;

/** The arguments that are query parameters. */
export const queryArguments = (args: Arguments, names: readonly string[]): RawObject =>
  Object.fromEntries(
    names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])),
  ) as RawObject;

const listTypes: Tool = {
  name: 'list_types',
  title: 'List the content types',
  description:
    'Lists the content available to you: each content type with the tools that you may use on it, the locales, and the filter operators. Start here.',
  annotations: READS,
  isFor: null,
  takes: [],
  input: () => ({}),
  required: [],
  output: openObjectOf(
    { types: arrayOf(objectSchema), operators: arrayOf(stringSchema), locales: objectSchema },
    ['types', 'operators'],
  ),
  async run(_, { view, parts, toolsOf }) {
    const types = [...view.types.values()].map((known) => summaryOf(known, toolsOf(known)));
    const { defaultLocale, locales } = parts.config.plugins.i18n;
    const localized = [...view.types.values()].some(({ type }) => type.localized);
    return say({
      types,
      operators: [...OPERATORS.keys(), '$and', '$or', '$not'],
      ...(localized && { locales: { default: defaultLocale, all: locales } }),
    });
  },
};

const isPart = (value: unknown): value is DescriptionPart => DESCRIPTION_PARTS.some((part) => part === value);

const partsIn = ({ parts }: Arguments): readonly DescriptionPart[] => {
  if (parts === undefined) return USUAL;
  if (Array.isArray(parts) && parts.every(isPart)) return parts;
  throw errors.invalidKey({ key: 'parts', path: null });
};

const describe: Tool = {
  name: 'describe_type',
  title: 'Describe a content type',
  description:
    'JSON Schema of a content type as you may use it: "answer" describes its entries with everything populated, "create" and "update" describe the data ' +
    'to write (a draft may be incomplete) and, if "query" is among the parts, there is also what filters, sort, fields and populate accept. ' +
    'A $ref refers to components of the same response; otherTypes lists schemas that are described with another type.',
  annotations: READS,
  isFor: null,
  takes: ['type', 'parts'],
  input: (types) => ({
    ...typeInput(types),
    parts: {
      ...arrayOf({ ...stringSchema, enum: DESCRIPTION_PARTS }),
      default: USUAL,
      description: 'Which parts to describe',
    },
  }),
  required: ['type'],
  output: openObjectOf(
    { type: stringSchema, name: stringSchema, kind: stringSchema, components: objectSchema },
    ['type'],
  ),
  async run(args, using) {
    const { view, parts, toolsOf } = using;
    const { uid } = typeIn(args, using);
    const known = view.types.get(uid);
    // Reveals no more about a hidden type than its route would.
    if (!known) throw errors.forbidden();
    return say(describeType(known, partsIn(args), { view, schema: parts.schema, tools: toolsOf(known) }));
  },
};

const pagination = openObjectOf(
  {
    page: integerSchema,
    pageSize: integerSchema,
    pageCount: integerSchema,
    start: integerSchema,
    limit: integerSchema,
    total: integerSchema,
  },
  [],
);

const FIND_QUERY = [
  'filters',
  'sort',
  'pagination',
  '_q',
  'fields',
  'populate',
  'status',
  'publicationFilter',
  'locale',
];

const find: Tool = {
  name: 'find',
  title: 'Find entries',
  description:
    'Returns a page of entries of a content type, with the full query language of the content API: filters, sort, fields, populate, pagination, status, locale, full-text search.',
  annotations: READS,
  isFor: (known) => known.type.kind === 'collectionType' && can('find')(known),
  takes: ['type', ...FIND_QUERY],
  input: (types) => ({
    ...typeInput(types),
    ...listingInput(types),
    ...SHOWING,
    ...statusInput(types, 'published', 'Which version is read'),
    ...siblingsInput(types),
    ...localeInput(types, 'A locale, or "*" for all; the default one if absent'),
  }),
  required: ['type'],
  output: openObjectOf({ data: arrayOf(objectSchema), meta: openObjectOf({ pagination }, []) }, ['data']),
  async run(args, using) {
    const type = typeIn(args, using);
    return reply(await send({ type, action: 'find', query: queryArguments(args, FIND_QUERY) }, using));
  },
};

const GET_QUERY = ['fields', 'populate', 'filters', 'status', 'publicationFilter', 'locale'];

const get: Tool = {
  name: 'get',
  title: 'Read one entry',
  description: 'Returns one entry by its documentId, or the entry of a single type.',
  annotations: READS,
  isFor: (known) => can(known.type.kind === 'singleType' ? 'find' : 'findOne')(known),
  takes: ['type', 'documentId', ...GET_QUERY],
  input: (types): Schemas => ({
    ...typeInput(types),
    ...documentInput(types),
    ...SHOWING,
    ...FILTERS,
    ...statusInput(types, 'published', 'Which version is read'),
    ...siblingsInput(types),
    ...localeInput(types, 'The locale; the default one if absent'),
  }),
  required: ['type'],
  output: openObjectOf({ data: objectSchema, meta: objectSchema }, ['data']),
  async run(args, using) {
    const type = typeIn(args, using);
    const documentId = documentIn(args, type);
    const action = documentId === null ? 'find' : 'findOne';
    return reply(await send({ type, action, documentId, query: queryArguments(args, GET_QUERY) }, using));
  },
};

export const READING: readonly Tool[] = [listTypes, describe, find, get];
