/** What a caller names as the target of a link: a document or one of its numeric ids (rules F.1). */
export interface Target {
  readonly documentId: string | null;
  readonly id: number | null;
  readonly locale: string | null;
}

export type Position =
  | { readonly at: 'start' | 'end' }
  | { readonly at: 'before' | 'after'; readonly anchor: Target };

/** A `status` given with a link says nothing: a reference names a document (rules 0.4, row 8). */
export interface Link extends Target {
  /** Content type of the target, in polymorphic relations. */
  readonly type: string | null;
  readonly position: Position;
}

/** What a value asks of a relation: nothing, a whole new list, or changes of the present one. */
export type RelationInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly links: readonly Link[] }
  | {
      readonly kind: 'change';
      readonly connect: readonly Link[];
      readonly disconnect: readonly Link[];
      /** False: an anchor that is not connected means "at the end" instead of an error. */
      readonly strict: boolean;
    };

type Fields = Readonly<Record<string, unknown>>;

const NONE: RelationInput = { kind: 'none' };

/** Reads the value of a relation or media attribute (rules F.1); shapes without meaning (`true`, `{}`) ask for nothing. */
export function parseRelation(value: unknown): RelationInput {
  if (value === null) return { kind: 'set', links: [] };
  if (typeof value === 'string' || typeof value === 'number' || Array.isArray(value))
    return { kind: 'set', links: parseLinks(value) };
  if (!isFields(value)) return NONE;
  if (isGiven(value['set'])) return { kind: 'set', links: parseLinks(value['set']) };
  if (isGiven(value['connect']) || isGiven(value['disconnect'])) {
    const options = value['options'];
    return {
      kind: 'change',
      connect: parseLinks(value['connect']),
      disconnect: parseLinks(value['disconnect']),
      strict: !(isFields(options) && options['strict'] === false),
    };
  }
  const link = parseLink(value);
  return link ? { kind: 'set', links: [link] } : NONE;
}

/** Every target that a value names, anchors included: these must exist. */
export function targetsOf(input: RelationInput): (Target & { type: string | null; linked: boolean })[] {
  if (input.kind === 'none') return [];
  const links = input.kind === 'set' ? input.links : input.connect;
  const dropped = input.kind === 'set' ? [] : input.disconnect;
  return [
    ...links.map((link) => ({ ...link, linked: true })),
    ...dropped.map((link) => ({ ...link, linked: false })),
    ...links.flatMap(({ position, type }) =>
      'anchor' in position ? [{ ...position.anchor, type, linked: false }] : [],
    ),
  ];
}

function parseLinks(value: unknown): Link[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map(parseLink).filter((link) => link !== null);
}

function parseLink(value: unknown): Link | null {
  const target = parseTarget(value);
  if (target === null) return null;
  const fields = isFields(value) ? value : {};
  const { __type: type } = fields;
  return {
    ...target,
    type: typeof type === 'string' ? type : null,
    position: parsePosition(fields['position']),
  };
}

function parsePosition(value: unknown): Position {
  if (!isFields(value)) return { at: 'end' };
  if (value['start'] === true) return { at: 'start' };
  for (const at of ['before', 'after'] as const) {
    const anchor = parseTarget(value[at]);
    if (anchor) return { at, anchor: { ...anchor, locale: anchor.locale ?? textOr(value['locale']) } };
  }
  return { at: 'end' };
}

function parseTarget(value: unknown): Target | null {
  if (isFields(value)) {
    const { documentId, id } = value;
    const named = typeof documentId === 'string' ? parseId(documentId, false) : parseId(id, true);
    return named && { ...named, locale: textOr(value['locale']) };
  }
  const named = parseId(value, true);
  return named && { ...named, locale: null };
}

/** Digits alone are a numeric id, any other text a documentId. */
function parseId(value: unknown, numeric: boolean): Pick<Target, 'documentId' | 'id'> | null {
  if (typeof value === 'number') return { documentId: null, id: value };
  if (typeof value !== 'string' || value === '') return null;
  return numeric && /^\d+$/.test(value)
    ? { documentId: null, id: Number(value) }
    : { documentId: value, id: null };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const textOr = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
