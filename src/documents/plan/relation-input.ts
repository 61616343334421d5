import { errors } from '../../errors.js';
import type { MediaAttribute, RelationAttribute } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { isAbsent, presentIn } from '../../values/absent.js';
import { isObject, type PlainObject } from '../../values/plain-object.js';

/** An attribute whose value consists of links. */
export type LinkAttribute = RelationAttribute | MediaAttribute;

/** How a caller names the target of a link: by documentId or by a numeric id. */
export interface NamedTarget {
  readonly documentId: string | null;
  readonly id: number | null;
  /** The number as received, if its text differs: in adopted collections it is a key. */
  readonly text?: string;
  readonly locale: string | null;
}

/** `given`: the position as received, which messages show, and which tells whether a target is named with two. */
export type Position =
  | { readonly at: 'start' | 'end'; readonly given: PlainObject | null }
  | { readonly at: 'before' | 'after'; readonly anchor: NamedTarget; readonly given: PlainObject };

/** A `status` given with a link is ignored: a reference names a document. */
export interface Link extends NamedTarget {
  /** uid of the target, in polymorphic relations. */
  readonly type: string | null;
  readonly position: Position;
}

/** The value given for a relation: nothing, a whole new list, or changes to the present one. */
export type RelationInput =
  | { readonly kind: 'none' }
  /** An item does not identify anything. The targets of the others must exist all the same. */
  | { readonly kind: 'invalid'; readonly links: readonly Link[] }
  /** `unused`: what `connect` names next to a `set`, which wins. Those targets must exist all the same. */
  | { readonly kind: 'set'; readonly links: readonly Link[]; readonly unused?: readonly Link[] }
  | {
      readonly kind: 'change';
      readonly connect: readonly Link[];
      readonly disconnect: readonly Link[];
      /** If false, an anchor that is not connected means "at the end" instead of an error. */
      readonly strict: boolean;
    };

/** Nothing is changed. */
export const NONE: RelationInput = { kind: 'none' };

/** Keys of an object that changes a relation, as opposed to one that names a target. */
export const CHANGES = ['set', 'connect', 'disconnect', 'options'];

/** Parses the value of an attribute. `true`, `{}` and `{ set: null }` remove all media, as in Strapi. */
export function parseLinkValue({ kind }: LinkAttribute, value: unknown): RelationInput {
  const input = kind === 'media' && value === true ? NONE : parseRelation(value);
  const removes = kind === 'media' && input.kind === 'none' && value !== undefined && !hasChanges(value);
  return removes ? { kind: 'set', links: [] } : input;
}

/** Whether a value says what to connect or disconnect, if only nothing. */
const hasChanges = (value: unknown): boolean =>
  isObject(value) && [value['connect'], value['disconnect']].some((links) => links !== undefined);

/** `{}` and `{ set: null }` change nothing; a boolean is the number 0, which no entry has. */
export function parseRelation(value: unknown): RelationInput {
  if (value === null) return { kind: 'set', links: [] };
  if (typeof value === 'boolean') return setOf(parseLinks(0));
  if (typeof value === 'string' || typeof value === 'number' || Array.isArray(value))
    return setOf(parseLinks(value));
  if (!isObject(value)) return NONE;
  if (!isAbsent(value['set'])) return setOf(parseLinks(value['set']), parseLinks(value['connect']).links);
  if (!isAbsent(value['connect']) || !isAbsent(value['disconnect'])) {
    const { connect, disconnect, options } = value;
    const [connected, disconnected] = [parseLinks(connect), parseLinks(disconnect)];
    if (!connected.complete || !disconnected.complete)
      return { kind: 'invalid', links: [...disconnected.links, ...connected.links] };
    const strict = !(isObject(options) && options['strict'] === false);
    return { kind: 'change', connect: connected.links, disconnect: disconnected.links, strict };
  }
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return keys.every((key) => CHANGES.includes(key)) ? NONE : setOf(parseLinks(value));
}

const setOf = ({ links, complete }: ParsedLinks, unused: readonly Link[] = []): RelationInput =>
  complete ? { kind: 'set', links, unused } : { kind: 'invalid', links };

/** Every target that a value names, including anchors, in the order in which Strapi looks for them. All must exist. */
export function targetsOf(input: RelationInput): (NamedTarget & { type: string | null; linked: boolean })[] {
  if (input.kind === 'none') return [];
  const links = input.kind === 'change' ? input.connect : input.links;
  const unused = input.kind === 'set' ? (input.unused ?? []) : [];
  const dropped = input.kind === 'change' ? input.disconnect : [];
  return [
    ...dropped.map((link) => ({ ...link, linked: false })),
    ...[...links, ...unused].flatMap((link) => {
      const { position, type } = link;
      const anchor = 'anchor' in position ? [{ ...position.anchor, type, linked: false }] : [];
      return [{ ...link, linked: true }, ...anchor];
    }),
  ];
}

/** uid of the content type that a link of this attribute refers to; polymorphic links give it themselves. */
export function targetUid(attribute: LinkAttribute, type: string | null): string {
  if (attribute.kind === 'media') return FILE_UID;
  const uid = attribute.target ?? type;
  if (uid === null) throw errors.invalidKey({ key: attribute.name, path: attribute.name });
  return uid;
}

interface ParsedLinks {
  readonly links: readonly Link[];
  /** Whether every member identifies something. */
  readonly complete: boolean;
}

/** Members of a list that Strapi leaves out, as it does null. */
const isNothing = (value: unknown): boolean =>
  value === false || (Array.isArray(value) && value.length === 0);

function parseLinks(value: unknown): ParsedLinks {
  const given = presentIn(value).filter((one) => !isNothing(one));
  const links = given.map(parseLink).filter((link) => link !== null);
  return { links, complete: links.length === given.length };
}

function parseLink(value: unknown): Link | null {
  const target = parseTarget(value);
  if (target === null) return null;
  const fields = isObject(value) ? value : {};
  const { __type: type } = fields;
  return {
    ...target,
    type: typeof type === 'string' ? type : null,
    position: parsePosition(fields['position'], target.locale),
  };
}

/** An anchor comes before `start`. If it names no locale, it has the one of its position, or else of the link. */
function parsePosition(value: unknown, linkLocale: string | null): Position {
  if (!isObject(value)) return { at: 'end', given: null };
  for (const at of ['before', 'after'] as const) {
    const anchor = parseTarget(value[at]);
    const locale = anchor?.locale ?? textOr(value['locale']) ?? linkLocale;
    if (anchor) return { at, anchor: { ...anchor, locale }, given: value };
  }
  return { at: value['start'] === true ? 'start' : 'end', given: value };
}

function parseTarget(value: unknown): NamedTarget | null {
  if (isObject(value)) {
    const { documentId, id } = value;
    const isNamed = documentId && typeof documentId !== 'object';
    const named = isNamed ? parseId(String(documentId), false) : parseId(id, true);
    return named && { ...named, locale: textOr(value['locale']) };
  }
  const named = parseId(value, true);
  return named && { ...named, locale: null };
}

/** Digits alone are a numeric id, any other text is a documentId. */
function parseId(value: unknown, numeric: boolean): Omit<NamedTarget, 'locale'> | null {
  if (typeof value === 'number') return { documentId: null, id: value };
  if (typeof value !== 'string' || value === '') return null;
  if (!numeric || !/^\d+$/.test(value)) return { documentId: value, id: null };
  const id = Number(value);
  return { documentId: null, id, ...(String(id) === value ? {} : { text: value }) };
}

const textOr = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
