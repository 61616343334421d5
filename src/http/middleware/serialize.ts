import { LARGE } from '../../limits/budget.js';
import { mapInSlices } from '../../limits/yield.js';
import type { AppMiddleware } from '../context.js';
import { isBytes } from '../lazy-body.js';

/** A placeholder for the list in the surrounding JSON; no key or value of an answer is equal to it. */
const LIST = '\u0000list';

const COMMA = Buffer.from(',');

const listOf = (body: object): readonly unknown[] | null => {
  const list = 'data' in body ? body.data : body;
  return Array.isArray(list) ? list : null;
};

/** The body as JSON, its list serialized entry by entry in turns with other requests. */
const toJson = async (body: object, list: readonly unknown[]): Promise<Buffer> => {
  const around = JSON.stringify(Array.isArray(body) ? LIST : { ...body, data: LIST });
  const [before = '', after = ''] = around.split(JSON.stringify(LIST));
  const entries = await mapInSlices(list, (entry) => Buffer.from(JSON.stringify(entry)));
  const parts = [Buffer.from(`${before}[`)];
  for (const [i, entry] of entries.entries()) parts.push(...(i === 0 ? [] : [COMMA]), entry);
  parts.push(Buffer.from(`]${after}`));
  return Buffer.concat(parts);
};

/** Serializes large answers in turns: Koa would do it at once and block all other requests. */
export const serialize = (): AppMiddleware => async (ctx, next) => {
  await next();
  if (isBytes(ctx)) return;
  const body: unknown = ctx.body;
  if (ctx.exchange.budget.spent.bytes <= LARGE || typeof body !== 'object' || body === null) return;
  if (Buffer.isBuffer(body)) return;
  const list = listOf(body);
  ctx.type = 'json';
  ctx.body = list ? await toJson(body, list) : Buffer.from(JSON.stringify(body));
};
