/** The type of tools, and their shared functions. */

import type { ContentAction, JsonSchema, Schemas } from '../describe/contract/types.js';
import { errors } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import { asText } from '../values/as-text.js';
import { isObject, type PlainObject } from '../values/plain-object.js';
import type { KnownType, TypeView } from './catalogue.js';
import type { ActionCall, Arguments, McpParts, RouteAnswer, ToolAnswer, ToolUser } from './types.js';

/** Hints for a host that asks a person before it uses a tool. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: false;
}

/** What a tool needs to run. */
export interface Using {
  readonly parts: McpParts;
  readonly user: ToolUser;
  readonly view: TypeView;
  /** Names of the tools that can be used with a type. */
  toolsOf(known: KnownType): readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Annotations;
  /** Whether the tool can be used with a type; null if it is not about one type. */
  readonly isFor: ((known: KnownType) => boolean) | null;
  /** Every argument that it accepts. */
  readonly takes: readonly string[];
  /** The arguments that apply to these types; those in `required` must be given. */
  input(types: readonly KnownType[]): Schemas;
  readonly required: readonly string[];
  readonly output: JsonSchema;
  run(args: Arguments, using: Using): Promise<ToolAnswer>;
}

export const can =
  (...actions: readonly ContentAction[]) =>
  ({ operations }: KnownType): boolean =>
    actions.some((action) => operations.has(action));

export const say = (value: unknown): ToolAnswer => ({ text: JSON.stringify(value), isError: false });

/**
 * The content type in the arguments. Throws a 400 if there is none; whether the caller may use it is left to
 * its route.
 */
export function typeIn({ type: uid }: Arguments, { parts }: Using): ContentType {
  const type = typeof uid === 'string' ? parts.schema.contentTypes.get(uid) : undefined;
  if (type?.origin !== 'api')
    throw errors.validation('content-type-unknown', `Content type ${asText(uid)} does not exist`);
  return type;
}

/** The documentId in the arguments; null for a single type. */
export function documentIn({ documentId }: Arguments, { kind }: ContentType): string | null {
  if (kind === 'singleType') return null;
  if (typeof documentId !== 'string' || documentId === '')
    throw errors.validation('document-id-not-a-string', 'documentId must be a string');
  return documentId;
}

/** Calls the route of an action. Throws a 404 if the project serves none. */
export function send(call: ActionCall, { user }: Using): Promise<RouteAnswer> {
  const answer = user.call(call);
  if (!answer) throw errors.notFound();
  return answer;
}

const EMPTY = { data: null, meta: {} };

/** The answer of a route as the answer of a tool: the same body, with the code of an error added. */
export function reply({ status, text, code }: RouteAnswer): ToolAnswer {
  if (status < 400) return text === '' ? say(EMPTY) : { text, isError: false };
  const body = bodyOf({ status, text });
  return { text: JSON.stringify(code === null ? body : { ...body, code }), isError: true };
}

/** What an answer that has no error in Strapi's form says. */
export const plainError = ({ status, text }: Pick<RouteAnswer, 'status' | 'text'>): PlainObject => ({
  status,
  name: 'Error',
  message: text,
});

/** The body of an answer, which the project's own code may give in any format. */
export function bodyOf({ status, text }: Pick<RouteAnswer, 'status' | 'text'>): PlainObject {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    // Not JSON.
  }
  return { data: null, error: plainError({ status, text }) };
}
