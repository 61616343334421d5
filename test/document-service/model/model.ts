/** The Document Service in memory, written from rules F and G and rows 5, 8, 9, 14 and 15 of 0.4. */
import { type Data, written } from './content.js';
import { alignNamed, checkTargets, type LinkInput, ownersOf, takeFromOthers, writeInverse } from './links.js';
import { mergedData } from './merge.js';
import { invalid, type Refusal, Refused, refused } from './refusal.js';
import { TYPES, type TypeName, uidOf } from './shape.js';
import {
  type Content,
  copyContent,
  DEFAULT_LOCALE,
  type Row,
  remove,
  rowOf,
  rowsOf,
  type State,
  type Status,
  writtenStatus,
} from './state.js';

export type Method = 'create' | 'update' | 'publish' | 'unpublish' | 'discardDraft' | 'delete' | 'clone';

export interface Call {
  readonly type: TypeName;
  readonly method: Method;
  readonly params: Params;
}

export interface Params {
  readonly documentId?: string;
  readonly data?: Data;
  readonly status?: Status;
  readonly locale?: string | readonly string[];
}

/** The result of a call: the versions it returns, as they are afterwards (removed ones as they were). */
export type Answer = readonly Row[] | null;

/** Applies a call. `made` is the documentId of a new document. Throws Refused, and may leave `state` partly changed. */
export function apply(state: State, { type, method, params }: Call, made: string): Answer {
  const doc = params.documentId ?? '';
  switch (method) {
    case 'create':
      return [create(state, type, params, made)];
    case 'update':
      return update(state, type, doc, params);
    case 'clone':
      return clone(state, type, doc, params, made);
    case 'publish':
      return chosen(state, type, doc, params.locale, 'draft').map((draft) => publish(state, draft));
    case 'unpublish': {
      const gone = chosen(state, type, doc, params.locale, 'published');
      remove(state, gone);
      return gone;
    }
    case 'discardDraft':
      return chosen(state, type, doc, params.locale, 'draft').flatMap((draft) => discard(state, draft));
    case 'delete': {
      if (params.status === 'draft' && TYPES[type].drafts)
        throw refused('Error', 'Cannot delete a draft document');
      const gone = (['draft', 'published'] as const).flatMap((status) =>
        chosen(state, type, doc, params.locale, status),
      );
      // References to it remain without a target, until another document has this documentId (0.4, row 8).
      remove(state, gone);
      return gone;
    }
  }
}

/** The versions that publish, unpublish, discardDraft and delete affect (rules G.9). */
function chosen(state: State, type: TypeName, doc: string, locale: Params['locale'], status: Status): Row[] {
  const rows = rowsOf(state, type, doc, status);
  if (!TYPES[type].locales || locale === '*') return rows;
  const codes = Array.isArray(locale) ? locale : [locale ?? DEFAULT_LOCALE];
  return rows.filter((row) => codes.includes(row.locale));
}

function writeLocale(type: TypeName, locale: Params['locale']): string | null {
  if (!TYPES[type].locales) return null;
  if (locale === '*' || Array.isArray(locale))
    throw new Refused([
      invalid(`Invalid locale param ${String(locale)} provided. Document locales must be strings.`),
    ]);
  return (locale as string | undefined) ?? DEFAULT_LOCALE;
}

function create(state: State, type: TypeName, params: Params, made: string): Row {
  const locale = writeLocale(type, params.locale);
  const doc = String(params.data?.['documentId'] ?? made);
  const others = rowsOf(state, type, doc, writtenStatus(type));
  if (others.some((row) => row.locale === locale))
    throw refused(
      'ApplicationError',
      `A draft entry with documentId "${doc}"${locale === null ? '' : ` and locale "${locale}"`} already exists for UID "${uidOf(type)}". This combination must be unique.`,
    );
  const data = overShared(type, params.data ?? {}, others);
  const draft = write(state, { type, doc, locale }, data, null, shared(others[0]));
  if (!state.docs[type].includes(doc)) state.docs[type].push(doc);
  return finish(state, draft, params.status);
}

/** A new locale starts with the values that the others share (rules G.4). */
function update(state: State, type: TypeName, doc: string, params: Params): Answer {
  const locale = writeLocale(type, params.locale);
  const others = rowsOf(state, type, doc, writtenStatus(type));
  if (others.length === 0) {
    checkUnwritten(structuredClone(state), { type, doc, locale }, params.data ?? {});
    return null;
  }
  const stored = others.find((row) => row.locale === locale) ?? null;
  const data = stored ? (params.data ?? {}) : overShared(type, params.data ?? {}, others);
  const draft = write(state, { type, doc, locale }, data, stored, shared(others[0]));
  return [finish(state, draft, params.status)];
}

/** A new locale takes null for a value that the others share as if it were not given. */
const overShared = (type: TypeName, data: Data, others: readonly Row[]): Data =>
  others.length === 0
    ? data
    : Object.fromEntries(
        Object.entries(data).filter(([name, value]) => value !== null || !isShared(type, name)),
      );

function finish(state: State, draft: Row, status: Status | undefined): Row {
  if (TYPES[draft.type].drafts && status === 'published') return publish(state, draft);
  share(state, draft);
  return draft;
}

interface Place {
  readonly type: TypeName;
  readonly doc: string;
  readonly locale: string | null;
}

/** Writes the draft, or a type's only version; a new one starts from `base`. */
function write(state: State, place: Place, data: Data, stored: Row | null, base: Content | null): Row {
  const { attributes } = TYPES[place.type];
  const refusals: Refusal[] = [];
  const refuse = (refusal: Refusal): void => void refusals.push(refusal);
  const current = stored ?? base;
  const creating = stored === null;
  const inverse = Object.entries(attributes).flatMap(([name, shape]) =>
    shape.kind === 'inverse' && data[name] !== undefined
      ? [{ name, shape, input: data[name] as LinkInput }]
      : [],
  );
  // Before the row exists: a new locale cannot refer to itself.
  for (const { shape, input } of inverse) checkTargets(state, place, shape, input, refuse);
  const content = written({ state, source: place, creating, refuse }, attributes, current, data);
  const row: Row = stored
    ? Object.assign(stored, content)
    : { ...place, ...content, status: writtenStatus(place.type), id: null, named: {} };
  if (creating) state.rows.push(row);
  takeFromOthers(state, row);
  for (const { name, shape, input } of inverse) writeInverse(state, row, name, shape, input, refuse);
  if (refusals.length > 0) throw new Refused(refusals);
  return row;
}

/** A target that does not exist is reported even if the document does not, either (rules E.6). */
function checkUnwritten(state: State, place: Place, data: Data): void {
  const { attributes } = TYPES[place.type];
  const refusals: Refusal[] = [];
  const refuse = (refusal: Refusal): void => void refusals.push(refusal);
  for (const [name, shape] of Object.entries(attributes))
    if (shape.kind === 'inverse' && data[name] !== undefined)
      checkTargets(state, place, shape, data[name] as LinkInput, refuse);
  written({ state, source: place, creating: true, refuse }, attributes, null, data);
  const unknown = refusals.filter(({ message }) => message.startsWith('Document with id'));
  if (unknown.length > 0) throw new Refused(unknown);
}

/** Rules G.5: everything is validated, then the published version becomes a copy of the draft. */
function publish(state: State, draft: Row): Row {
  const missing = Object.entries(TYPES[draft.type].attributes).flatMap(([name, shape]) =>
    shape.kind === 'text' && shape.required && draft.scalars[name] === null
      ? [invalid(`${name} must be a \`string\` type, but the final value was: \`null\`.`)]
      : [],
  );
  if (missing.length > 0) throw new Refused(missing);
  const before = rowOf(state, draft.type, draft.doc, draft.locale, 'published');
  const { type, doc, locale } = draft;
  const row: Row = {
    ...copyContent(draft),
    type,
    doc,
    locale,
    status: 'published',
    id: before?.id ?? null,
    named: {},
  };
  replace(state, before, row);
  takeFromOthers(state, row);
  alignNamed(state, draft, 'draft', 'published');
  draft.named = {};
  share(state, draft);
  share(state, row);
  return row;
}

/** Rules G.6: the draft becomes a copy of the published version; without one it is removed, as recorded from Strapi. */
function discard(state: State, draft: Row): Row[] {
  const live = rowOf(state, draft.type, draft.doc, draft.locale, 'published');
  if (!live) {
    remove(state, [draft]);
    return [];
  }
  const { type, doc, locale, id } = draft;
  const row: Row = { ...copyContent(live), type, doc, locale, status: 'draft', id, named: {} };
  replace(state, draft, row);
  takeFromOthers(state, row);
  alignNamed(state, draft, 'published', 'draft');
  share(state, row);
  return [row];
}

/** Rules G.8: like a create with the draft's own values, and with the owners that refer to it in the same locale. */
function clone(state: State, type: TypeName, doc: string, params: Params, made: string): Row[] {
  const drafts = chosen(state, type, doc, params.locale, writtenStatus(type));
  if (drafts.length > 0) state.docs[type].push(made);
  return drafts.map((draft) => {
    const base = copyContent(draft);
    const place = ++state.clock;
    const owners = ownersAsData(state, draft);
    const data = {
      ...owners,
      ...mergedData(state, TYPES[type].attributes, draft, params.data ?? {}, owners),
    };
    for (const [name, links] of Object.entries(base.links))
      base.links[name] = Object(data)[name] === undefined ? links.map((link) => ({ ...link, place })) : [];
    return write(state, { type, doc: made, locale: draft.locale }, data, null, base);
  });
}

const ownersAsData = (state: State, draft: Row): Data =>
  Object.fromEntries(
    Object.entries(TYPES[draft.type].attributes).flatMap(([name, shape]) =>
      shape.kind === 'inverse'
        ? [[name, { set: ownersOf(state, draft, shape, 'draft').map(({ doc }) => ({ documentId: doc })) }]]
        : [],
    ),
  );

function replace(state: State, before: Row | undefined, row: Row): void {
  if (before) state.rows = state.rows.map((other) => (other === before ? row : other));
  else state.rows.push(row);
}

const isShared = (type: TypeName, name: string): boolean => {
  const { locales, localized, attributes } = TYPES[type];
  const kind = attributes[name]?.kind;
  return locales && !localized.includes(name) && kind !== 'link' && kind !== 'inverse';
};

/** What a new locale copies from another one; null if there is none. */
function shared(other: Row | undefined): Content | null {
  if (!other) return null;
  const { scalars, items } = copyContent(other);
  const only = <T>(values: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => isShared(other.type, name)));
  return { scalars: only(scalars), links: {}, items: only(items) };
}

/**
 * Rules G.9 and 0.4, row 15: shared values of a draft are copied to the other drafts, those of a published version to
 * both.
 */
function share(state: State, row: Row): void {
  const statuses: Status[] = row.status === 'published' ? ['draft', 'published'] : ['draft'];
  for (const other of state.rows) {
    if (other.type !== row.type || other.doc !== row.doc || other.locale === row.locale) continue;
    if (!statuses.includes(other.status)) continue;
    const copy = shared(row);
    if (!copy) continue;
    const same = shared(other);
    if (JSON.stringify(withoutIds(copy)) === JSON.stringify(same && withoutIds(same))) continue;
    Object.assign(other.scalars, copy.scalars);
    Object.assign(other.items, copy.items);
  }
}

const withoutIds = (content: Content): Content => copyContent(content);
