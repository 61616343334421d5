import { createHash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { describeContract } from '../../../src/describe/contract/contract.js';
import {
  type Contract,
  type ContractForm,
  type ContractParts,
  type Operation,
  WHOLE,
} from '../../../src/describe/contract/types.js';
import { bodyForm, textForm } from './text-form.js';

/** Compiled schemas of one contract; each is compiled when it is first needed. */
export interface Validators {
  readonly contract: Contract;
  /** The operation of a method and path, as in the router. */
  operation(method: string, path: string): Operation | undefined;
  /** The schema of a response. */
  answer(operation: Operation, status: number): ValidateFunction | null;
  refusal(): ValidateFunction;
  body(operation: Operation): ValidateFunction | null;
  query(operation: Operation, name: string): ValidateFunction | null;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const ROOT = 'test:contract';

/**
 * `exact`: dates as in responses. Otherwise values may be written in all ways that the server reads, such as `"5"` for
 * 5.
 */
const createAjv = (exact: boolean): Ajv2020 =>
  new Ajv2020({
    strict: false,
    coerceTypes: !exact,
    logger: false,
    validateSchema: false,
    unicodeRegExp: true,
    inlineRefs: false,
    // Most run only a few times.
    code: { optimize: false },
    formats: {
      date: exact ? DAY : true,
      'date-time': exact ? INSTANT : true,
      email: true,
      password: true,
    },
  });

const jsonOf = (content: Readonly<Record<string, unknown>> | undefined): unknown =>
  content?.['application/json'];

/** Treats `/api/articles/{id}` and `/api/articles/:id` alike. */
const addressOf = (method: string, path: string): string =>
  `${method.toLowerCase()} ${path.replace(/\{(\w+)\}/g, ':$1').toLowerCase()}`;

function createValidators(contract: Contract): Validators {
  const operations = new Map(contract.operations.map((one) => [addressOf(one.method, one.path), one]));
  const schemas: Readonly<Record<string, () => object>> = {
    answers: () => ({
      components: { schemas: contract.schemas },
      ...partsOf((one) => one.answers, contract),
    }),
    bodies: () =>
      bodyForm({
        components: { schemas: contract.schemas },
        ...partsOf((one) => ({ body: one.body }), contract),
      }) as object,
    queries: () =>
      textForm({
        components: { schemas: contract.schemas },
        ...Object.fromEntries(
          contract.operations.map(({ id, parameters }) => [
            id,
            Object.fromEntries(
              parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema]),
            ),
          ]),
        ),
      }) as object,
  };
  const instances = new Map<string, Ajv2020>();
  const compiled = new Map<string, ValidateFunction>();
  const compile = (of: 'answers' | 'bodies' | 'queries', place: string): ValidateFunction => {
    const key = `${of} ${place}`;
    const known = compiled.get(key);
    if (known) return known;
    const ajv = instances.get(of) ?? createAjv(of === 'answers').addSchema({ $id: ROOT, ...schemas[of]?.() });
    instances.set(of, ajv);
    const made = ajv.compile({ $ref: `${ROOT}#/${place}` });
    compiled.set(key, made);
    return made;
  };
  return {
    contract,
    operation: (method, path) => operations.get(addressOf(method, path)),
    answer: (operation, status) =>
      jsonOf(operation.answers[status]?.content) === undefined
        ? null
        : compile('answers', `${operation.id}/${status}`),
    refusal: () => compile('answers', 'components/schemas/ErrorResponse'),
    body: (operation) =>
      jsonOf(operation.body?.content) === undefined ? null : compile('bodies', `${operation.id}/body`),
    query: (operation, name) =>
      operation.parameters.some((one) => one.in === 'query' && one.name === name)
        ? compile('queries', `${operation.id}/${name}`)
        : null,
  };
}

type Parts = Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> } | undefined>>;

/** The JSON schemas of an operation's parts, by its id and their names. */
const partsOf = (of: (operation: Operation) => Parts, { operations }: Contract): object =>
  Object.fromEntries(
    operations.map((operation) => [
      operation.id,
      Object.fromEntries(
        Object.entries(of(operation)).flatMap(([name, part]) => {
          const schema = jsonOf(part?.content);
          return schema === undefined ? [] : [[name, schema]];
        }),
      ),
    ]),
  );

/** By what a contract is derived from, and by the contract: most settings say nothing in it. */
const shared = new LRUCache<string, Validators>({ max: 64 });

const sharedBy = (key: string, make: () => Validators): Validators => {
  const known = shared.get(key) ?? make();
  shared.set(key, known);
  return known;
};

/** All that a contract is derived from: settings that are different for each test server say nothing about it. */
const keyOf = (
  { config, schema, routes, hasOwnCode }: ContractParts,
  form: Partial<ContractForm>,
): string => {
  const { root: _root, warnings: _warnings, database: _database, server, ...settings } = config;
  return JSON.stringify([form, schema.version, routes, hasOwnCode, settings, { ...server, publicDir: null }]);
};

/** The validators of a server's contract in one format. */
export const validatorsOf = (parts: ContractParts, form: Partial<ContractForm>): Validators =>
  sharedBy(keyOf(parts, form), () => {
    const contract = describeContract(parts, { ...WHOLE, ...form });
    const key = createHash('sha256').update(JSON.stringify(contract)).digest('base64');
    return sharedBy(key, () => createValidators(contract));
  });
