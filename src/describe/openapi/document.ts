/** Converts a contract to an OpenAPI 3.1 document. */
import { createHash } from 'node:crypto';
import { objectAt } from '../../values/plain-object.js';
import { ERROR_CODE, ERROR_RESPONSE } from '../contract/errors.js';
import type { Contract, JsonSchema, Operation, Parameter, ResponseDescription } from '../contract/types.js';
import { sortKeys } from './sort-keys.js';

/** Error responses, shared by all operations with the same codes. */
const NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
  '4XX': 'Refused',
};

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The same codes always give the same name, so that documents can be compared. */
const nameOf = (status: string, codes: readonly string[]): string =>
  `${NAMES[status] ?? `Status${status}`}-${createHash('sha1').update(codes.join(' ')).digest('hex').slice(0, 8)}`;

const response = (codes: readonly string[]): object => ({
  description: `Error: ${codes.map((code) => `\`${code}\``).join(', ')}`,
  headers: { 'X-Error-Code': header('X-Error-Code'), 'X-Request-Id': header('X-Request-Id') },
  content: { 'application/json': { schema: ERROR_RESPONSE } },
  'x-codes': codes,
});

/** References to the error responses of an operation, by status. */
const refusedResponses = ({ refusals }: Operation): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(refusals).map(([status, codes]) => [
      status,
      { $ref: `#/components/responses/${nameOf(status, codes)}` },
    ]),
  );

/** The error responses referred to, by name. */
const sharedResponses = (operations: readonly Operation[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    operations.flatMap(({ refusals }) =>
      Object.entries(refusals).map(([status, codes]) => [nameOf(status, codes), response(codes)] as const),
    ),
  );

export type OpenApiDocument = Readonly<Record<string, unknown>>;

interface DocumentOptions {
  readonly title: string;
  /** The server's URL; `/` if absent. */
  readonly url?: string;
}

const SECURITY_SCHEMES: Readonly<Record<string, JsonSchema>> = {
  apiToken: { type: 'http', scheme: 'bearer', description: 'A key created with `mangrove token create`' },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `jwt` of `POST /auth/local`',
  },
  refreshCookie: { type: 'apiKey', in: 'cookie', name: 'strapi_up_refresh' },
};

const ABOUT = `Strapi 5's Content API. Names and brackets of nested parameters (\`deepObject\`) are written as by the library qs: \`filters[title][$contains]=x&populate[author][fields][0]=name\`. \`HEAD\` is supported wherever \`GET\` is. With \`Accept: text/event-stream\`, a read of content is followed by events that keep it up to date (docs/in-time.md). Every error has its code in the header \`X-Error-Code\`.`;

/** The document, with sorted keys so that two documents can be compared line by line. */
export const toOpenApi = (contract: Contract, { title, url = '/' }: DocumentOptions): OpenApiDocument =>
  sortKeys({
    openapi: '3.1.0',
    info: { title, version: contract.version, description: ABOUT },
    servers: [{ url }],
    tags: contract.tags,
    paths: pathsOf(contract),
    components: {
      schemas: contract.schemas,
      responses: sharedResponses(contract.operations),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  });

const HEADERS = {
  'X-Error-Code': {
    description: 'For programs; messages are for people',
    required: true,
    schema: ERROR_CODE,
  },
  'X-Request-Id': { description: 'The id of the request in the log', schema: { type: 'string' } },
};

function pathsOf({ operations }: Contract): Readonly<Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] ?? {}, { [operation.method]: operationObject(operation) });
  }
  return paths;
}

const operationObject = (operation: Operation): object => ({
  operationId: operation.id,
  summary: operation.summary,
  ...(operation.description === undefined ? {} : { description: operation.description }),
  tags: [operation.tag],
  parameters: operation.parameters.flatMap(parameterObjects),
  ...(operation.body
    ? { requestBody: { required: operation.body.required, content: mediaTypes(operation.body.content) } }
    : {}),
  responses: responsesOf(operation),
  security: securityOf(operation),
  ...(operation.action === null ? {} : { 'x-action': operation.action }),
});

/** An empty list means no credential; an empty object in the list makes credentials optional. */
const securityOf = ({ credentials, anonymous }: Operation): readonly object[] => [
  ...credentials.map((name) => ({ [name]: [] })),
  ...(anonymous && credentials.length > 0 ? [{}] : []),
];

const parameterObjects = ({ style, ...parameter }: Parameter): readonly object[] => {
  if (style !== 'members') return [style === undefined ? parameter : { ...parameter, style, explode: true }];
  return Object.entries(objectAt(parameter.schema, 'properties')).map(([member, schema]) => {
    const { description, ...rest } = objectAt(schema);
    return { ...parameter, name: `${parameter.name}[${member}]`, description, schema: rest };
  });
};

const mediaTypes = (content: Readonly<Record<string, JsonSchema>>): object =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));

const responsesOf = (operation: Operation): object => ({
  ...Object.fromEntries(
    Object.entries(operation.answers).map(([status, answer]) => [status, success(answer)]),
  ),
  ...refusedResponses(operation),
});

const success = ({ description, content }: ResponseDescription): object => ({
  description,
  headers: { 'X-Request-Id': header('X-Request-Id') },
  ...(content ? { content: mediaTypes(content) } : {}),
});
