/** What a tool is, and what all of them share. */
import type { ContentAction, JsonSchema, Schemas } from '../describe/contract/types.js';
import { errors } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import type { Catalogue, KnownType, View } from './catalogue.js';
import type { Arguments, McpParts, RouteAnswer, RouteCall, ToolAnswer, ToolUser } from './types.js';

/** Hints for the program that asks a person before a tool is used. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: false;
}

/** What a tool works with. */
export interface Using {
  readonly parts: McpParts;
  readonly catalogue: Catalogue;
  readonly user: ToolUser;
  readonly view: View;
  /** Names of the tools that a type may be used with. */
  toolsOf(known: KnownType): readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Annotations;
  /** Whether it can be used with a type; null: it is for none in particular. */
  readonly isFor: ((known: KnownType) => boolean) | null;
  /** Every argument that it knows. */
  readonly takes: readonly string[];
  /** Those that mean something for these types, of which `required` must be given. */
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

/** The type that the arguments name. Throws a 400 where there is none; whether the caller may use it, its route says. */
export function typeIn({ type: uid }: Arguments, { parts }: Using): ContentType {
  const type = typeof uid === 'string' ? parts.schema.contentTypes.get(uid) : undefined;
  if (type?.origin !== 'api')
    throw errors.validation('content-type-unknown', `Content type ${String(uid)} does not exist`);
  return type;
}

/** The document that the arguments name; null for a single type, which has only one. */
export function documentIn({ documentId }: Arguments, { kind }: ContentType): string | null {
  if (kind === 'singleType') return null;
  if (typeof documentId !== 'string' || documentId === '')
    throw errors.validation('document-id-not-a-string', 'documentId must be a string');
  return documentId;
}

export interface Addressed {
  readonly type: ContentType;
  readonly action: ContentAction;
  readonly documentId?: string | null;
}

/** Asks the route of an action. Throws a 404 where the project serves none. */
export function ask(
  { type, action, documentId }: Addressed,
  call: Omit<RouteCall, 'method' | 'path'>,
  { catalogue, user }: Using,
): Promise<RouteAnswer> {
  const route = catalogue.routeOf(type.uid, action);
  if (!route) throw errors.notFound();
  const path = route.path.replace('{documentId}', encodeURIComponent(documentId ?? ''));
  return user.call({ ...call, method: route.method.toUpperCase(), path });
}

const EMPTY = { data: null, meta: {} };

/** What a route answered, as what a tool says: the same body, with the code of a refusal beside it. */
export function told({ status, text, code }: RouteAnswer): ToolAnswer {
  if (status < 400) return text === '' ? say(EMPTY) : { text, isError: false };
  const body = bodyOf(text, status);
  return { text: JSON.stringify(code === null ? body : { ...body, code }), isError: true };
}

function bodyOf(text: string, status: number): object {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body;
  } catch {
    // The project's own code may answer in any form.
  }
  return { data: null, error: { status, name: 'Error', message: text } };
}
