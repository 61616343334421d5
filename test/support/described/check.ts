/** Checks a server's responses and the requests that it accepts against the description of its API. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type {
  ContractForm,
  ContractParts,
  DescribedRoute,
  Operation,
} from '../../../src/describe/contract/types.js';
import type { AppMiddleware, RequestContext } from '../../../src/http/context.js';
import { contractParts, routesOutsidePrefix } from '../../../src/http/contract-parts.js';
import type { RouteParts } from '../../../src/http/deps.js';
import { allRoutes } from '../../../src/http/routes/all.js';
import { NO_DEFINITION } from '../../../src/project-code/types.js';
import { deviations } from './deviations.js';
import { isTolerated } from './tolerated.js';
import { type Validators, validatorsOf } from './validators.js';

/** The formats that a request may be described in. */
const formOf = (ctx: RequestContext): Partial<ContractForm> => ({
  v4: ctx.get('strapi-response-format').toLowerCase() === 'v4',
  counts: /\[count\]|%5Bcount%5D/i.test(ctx.querystring),
  drafts: ctx.querystring.includes('status=') && !/(^|&)status=published(&|$)/.test(ctx.querystring),
});

const jsonBody = (ctx: RequestContext): unknown => {
  const body: unknown = ctx.body;
  if (body === null || body === undefined || !ctx.response.is('json')) return undefined;
  if (Buffer.isBuffer(body) || typeof body === 'string') return JSON.parse(String(body));
  if (typeof body === 'object' && 'pipe' in body) return undefined;
  return JSON.parse(JSON.stringify(body));
};

const short = (value: unknown): string => (JSON.stringify(value) ?? '(nothing)').slice(0, 600);

const failureOf = (what: string, validate: ValidateFunction | null, value: unknown): string | null => {
  if (!validate || value === undefined || validate(value)) return null;
  const errors = (validate.errors ?? []).slice(0, 6);
  const messages = errors.map(
    ({ instancePath, message, params }) => `${instancePath || '(root)'} ${message} ${short(params)}`,
  );
  return `${what}\n    ${messages.join('\n    ')}\n    in ${short(value)}`;
};

/** Objects whose keys are all integers are lists (rules 0.4 row 4). */
export function listed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(listed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key)))
    return entries.map(([, item]) => listed(item));
  return Object.fromEntries(entries.map(([key, item]) => [key, listed(item)]));
}

/** Statuses returned before the query is read. */
const paramsOf = ({ exchange }: RequestContext): object => exchange.query?.params ?? {};

function* deviationsOf(
  ctx: RequestContext,
  operation: Operation,
  validators: Validators,
): Generator<string | null> {
  const { status } = ctx;
  // The client has disconnected.
  if (status === 499) return;
  if (status >= 400) {
    const code = String(ctx.response.get('x-error-code'));
    const codes = [...(operation.refusals[status] ?? []), ...(operation.refusals['4XX'] ?? [])];
    if (!codes.some((known) => known === code)) yield `${status} ${code} is not among its refusals`;
    yield failureOf('the refusal is not as described', validators.refusal(), jsonBody(ctx));
    return;
  }
  const answer = operation.answers[status];
  if (!answer) yield `the status ${status} is not described`;
  const validate = validators.answer(operation, status);
  if (validate) yield failureOf('the answer is not as described', validate, jsonBody(ctx));
  for (const [name, value] of Object.entries(listed(paramsOf(ctx)) as object))
    if (!isTolerated(name, value))
      yield failureOf(`it takes another ${name} than it describes`, validators.query(operation, name), value);
}

/** An accepted body. */
function bodyDeviation(ctx: RequestContext, operation: Operation, validators: Validators): string | null {
  const { body } = ctx.request;
  if (ctx.status >= 400 || typeof body !== 'object' || body === null) return null;
  if (!ctx.is('json', 'urlencoded', '+json')) return null;
  return failureOf(
    'it takes another body than it describes',
    validators.body(operation),
    structuredClone(body),
  );
}

/**
 * The path in the route table for responses outside the router; null if nothing answered, or a program with its own
 * protocol did.
 */
const placeBeside = (ctx: RequestContext, beside: readonly DescribedRoute[]): string | null => {
  if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || ctx.status >= 400 || ctx.path === '/mcp')
    return null;
  const path = ctx.path.replace(/(?<=.)\/$/, '');
  const route = beside.find((one) => new RegExp(`^${one.path.replace(/:\w+/g, '[^/]+')}$`).test(path));
  return route?.path ?? path;
};

/**
 * `bodies`: also checks those of requests. Answers 599 with the deviations: the test that made the request fails, and
 * so does the run.
 */
export function checkDescribed(deps: RouteParts, bodies: boolean): AppMiddleware {
  let parts: ContractParts | undefined;
  const beside = routesOutsidePrefix(deps.config);
  const kept = new Map<string, Validators>();
  const validatorsFor = (form: Partial<ContractForm>): Validators => {
    parts ??= contractParts(deps, allRoutes(deps));
    const key = JSON.stringify(form);
    const known = kept.get(key) ?? validatorsOf(parts, form);
    kept.set(key, known);
    return known;
  };
  return async (ctx, next) => {
    await next();
    const matched: unknown = ctx['_matchedRoute'];
    const isOwn = deps.own.definition !== NO_DEFINITION;
    const path =
      typeof matched === 'string' ? matched : isOwn ? null : placeBeside(ctx as RequestContext, beside);
    if (path === null || ctx.status === 405) return;
    const validators = validatorsFor(formOf(ctx as RequestContext));
    const operation = validators.operation(ctx.method === 'HEAD' ? 'get' : ctx.method, path);
    const found = operation
      ? [
          ...deviationsOf(ctx as RequestContext, operation, validators),
          bodies ? bodyDeviation(ctx as RequestContext, operation, validators) : null,
        ].filter((one) => one !== null)
      : [`${ctx.method} ${path} is not described`];
    if (found.length === 0) return;
    const text = `${ctx.method} ${decodeURIComponent(ctx.url)}\n  ${found.join('\n  ')}`;
    deviations.push(text);
    console.error(`\n${text}`);
    ctx.status = 599;
    ctx.body = text;
  };
}
