/** Random commands as calls on the existing documents. */
import type { Command, PickedData, PickedItem, PickedLinks, PickedRef } from './commands.js';
import type { Data, ItemInput } from './content.js';
import type { LinkInput, Position, Ref, Source } from './links.js';
import type { Call } from './model.js';
import { COMPONENTS, type Shape, type Shapes, TYPES, type TypeName } from './shape.js';
import { type Item, type Row, rowOf, rowsOf, type State, targetLocale, writtenStatus } from './state.js';

/** The commands can name a few more documents than exist: one that never existed. */
const docOf = (state: State, type: TypeName, number: number): string => {
  const docs = [...state.docs[type]].reverse();
  return docs[number % (docs.length + 1)] ?? 'nobody';
};

export function callOf(state: State, command: Command): Call {
  const { type, method, number, locale, status } = command;
  const documentId = docOf(state, type, number);
  const place = {
    ...(locale !== null && { locale }),
    ...(status !== null && (method !== 'delete' || status === 'draft') && { status }),
  };
  if (method === 'create') {
    // A new locale of a document, or an existing one; otherwise a new document.
    const own = number < 2 ? { documentId } : {};
    const source = { type, doc: '', locale: localeOf(type, locale) };
    return {
      type,
      method,
      params: { ...place, data: { ...dataOf(state, source, command.data, null), ...own } },
    };
  }
  const source = { type, doc: documentId, locale: localeOf(type, locale) };
  const stored = rowOf(state, type, documentId, source.locale, writtenStatus(type)) ?? null;
  const data =
    method === 'update' || method === 'clone' ? { data: dataOf(state, source, command.data, stored) } : {};
  return { type, method, params: { documentId, ...place, ...data } };
}

const localeOf = (type: TypeName, locale: Command['locale']): string | null =>
  TYPES[type].locales ? (typeof locale === 'string' ? locale : 'en') : null;

function dataOf(state: State, source: Source, picked: PickedData, stored: Row | null): Data {
  const { attributes } = TYPES[source.type];
  return contentOf(state, source, attributes, picked, stored);
}

function contentOf(
  state: State,
  source: Source,
  shapes: Shapes,
  picked: PickedData,
  stored: Row | Item | null,
): Data {
  const links = Object.entries(picked.links)
    .filter(([name]) => !isSecondEnd(shapes[name], picked, source))
    .map(([name, link]) => [name, linksOf(state, source, shapes[name], link)]);
  const items = Object.entries(picked.items).map(([name, list]) => [
    name,
    itemsOf(state, source, shapes[name], list, stored?.items[name] ?? []),
  ]);
  return { ...picked.scalars, ...Object.fromEntries(links), ...Object.fromEntries(items) };
}

/** The rules do not define the result of a self relation when one call names both of its ends. */
const isSecondEnd = (shape: Shape | undefined, { links }: PickedData, { type }: Source): boolean =>
  shape?.kind === 'inverse' && shape.target === type && shape.of in links;

function itemsOf(
  state: State,
  source: Source,
  shape: Shape | undefined,
  picked: readonly PickedItem[],
  stored: readonly Item[],
): readonly ItemInput[] | ItemInput | null {
  if (shape?.kind !== 'items') throw new TypeError('items');
  const used = new Set<Item>();
  const inputs = picked.map((item): ItemInput => {
    const candidates = stored.filter((one) => one.uid === item.uid && !used.has(one));
    const own = item.own === null ? undefined : candidates[item.own % Math.max(candidates.length, 1)];
    if (own) used.add(own);
    const id = item.foreign === null ? own?.id : foreignId(state, item.foreign);
    return {
      ...(shape.zone && { __component: item.uid }),
      ...(typeof id === 'number' && { id }),
      ...contentOf(state, source, componentShapes(item.uid), item.data, own ?? null),
    };
  });
  return shape.many ? inputs : (inputs[0] ?? null);
}

function foreignId(state: State, number: number): number {
  const ids = state.rows.flatMap((row) =>
    Object.values(row.items).flatMap((items) => items.map(({ id }) => id)),
  );
  return ids[(number * 7) % Math.max(ids.length, 1)] ?? 987654321;
}

function linksOf(state: State, source: Source, shape: Shape | undefined, picked: PickedLinks): LinkInput {
  if (shape?.kind !== 'link' && shape?.kind !== 'inverse') throw new TypeError('links');
  const { target } = shape;
  const refs = (list: readonly PickedRef[]): Ref[] =>
    list.flatMap((ref) => refOf(state, source, target, ref) ?? []);
  switch (picked.form) {
    case 'null':
      return null;
    case 'list':
      return refs(picked.refs);
    case 'set':
      return { set: refs(picked.refs) };
    case 'change': {
      const connect = picked.connect.flatMap(({ ref, position }) => {
        const found = refOf(state, source, target, ref);
        if (!found) return [];
        const anchor =
          'anchor' in position ? refOf(state, source, target, { ...position.anchor, locale: null }) : null;
        return [{ ...found, ...positionOf(state, target, found, position.at, anchor) }];
      });
      const named = new Set(connect.map((ref) => documentOf(state, target, ref)));
      return {
        connect,
        disconnect: refs(picked.disconnect.map((ref) => ({ ...ref, any: false }))).filter(
          (ref) => !named.has(documentOf(state, target, ref)),
        ),
        ...(picked.strict !== null && { options: { strict: picked.strict } }),
      };
    }
  }
}

/** The rules do not define "before itself". */
function positionOf(
  state: State,
  target: TypeName,
  ref: Ref,
  at: 'start' | 'end' | 'before' | 'after' | null,
  anchor: Ref | null,
): { position?: Position } {
  if (at === null) return {};
  if (at === 'start') return { position: { start: true } };
  if (at === 'end') return { position: { end: true } };
  if (!anchor || documentOf(state, target, anchor) === documentOf(state, target, ref)) return {};
  const key = 'id' in anchor ? anchor.id : anchor.documentId;
  return { position: at === 'before' ? { before: key } : { after: key } };
}

const documentOf = (state: State, type: TypeName, ref: Ref): string | undefined =>
  'id' in ref ? state.rows.find((row) => row.type === type && row.id === ref.id)?.doc : ref.documentId;

/** A document that the source can refer to, if there is one. */
function refOf(state: State, source: Source, target: TypeName, picked: PickedRef): Ref | null {
  const given = TYPES[target].locales && !TYPES[source.type].locales ? picked.locale : null;
  const locale = targetLocale(source, target, given);
  const docs = state.docs[target].filter(
    (doc) => picked.any || rowOf(state, target, doc, locale, writtenStatus(target)),
  );
  const documentId = picked.any
    ? docOf(state, target, picked.number)
    : docs[picked.number % Math.max(docs.length, 1)];
  if (documentId === undefined) return null;
  const status = picked.by === 'published id' ? 'published' : writtenStatus(target);
  const [row] = rowsOf(state, target, documentId, status);
  if (picked.by !== 'documentId' && row && typeof row.id === 'number')
    return { id: row.id, ...(given && { locale: given }) };
  return { documentId, ...(given && { locale: given }) };
}

const componentShapes = (uid: string): Shapes => COMPONENTS[uid] ?? {};
