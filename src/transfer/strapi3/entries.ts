import type { ForeignDocument } from '../../store/transfer/foreign.js';
import { addTo, inLists } from '../../values/group.js';
import type { SourceRecord } from '../source/types.js';
import type { Known, Strapi3 } from './context.js';
import { EntryReader } from './entry-reader.js';
import { CREATORS } from './fields.js';
import { Fetched, kindRef, list, objectIdOf, type Seen } from './references.js';

const BATCH = 200;

/** The entries of a type with their references, in the order of their collection. */
export async function* readType(context: Strapi3, type: Known, seen: Seen): AsyncGenerator<SourceRecord> {
  for await (const batch of inLists(context.database.all(type.model.collection), BATCH)) {
    const fetched = new Fetched(context.database);
    await fetchComponents(
      context,
      fetched,
      batch.map((document) => [type, document] as const),
    );
    await fetchTargets(context, fetched, type, batch);
    for (const document of batch)
      yield* new EntryReader({ context, type, fetched, seen }, document).records();
  }
}

type Held = readonly [Known, ForeignDocument];

/** Fetches the components of these documents, and recursively the components in them. */
async function fetchComponents(context: Strapi3, fetched: Fetched, holders: readonly Held[]): Promise<void> {
  // A component may occur twice or, in a damaged database, contain itself.
  const met = new Set<ForeignDocument>();
  for (let level = holders; level.length > 0; ) {
    const wanted = new Map<string, unknown[]>();
    const held: (readonly [Known, unknown])[] = [];
    for (const [{ fields }, document] of level)
      for (const [key, { field }] of fields)
        if (field.as === 'component' || field.as === 'zone')
          for (const item of list(document[key])) {
            const found = kindRef(item);
            const model = found && context.byGlobalId.get(found.kind);
            if (!model) continue;
            addTo(wanted, model.collection, found.ref);
            const component = context.components.get(model.uid);
            if (component) held.push([component, found.ref]);
          }
    await fetched.fetch(wanted, false);
    level = held.flatMap(([component, ref]): Held[] => {
      const document = fetched.get(component.model.collection, ref);
      if (!document || met.has(document)) return [];
      met.add(document);
      return [[component, document]];
    });
  }
}

/** Finds out which of the referenced entries exist. */
async function fetchTargets(
  context: Strapi3,
  fetched: Fetched,
  type: Known,
  batch: readonly ForeignDocument[],
): Promise<void> {
  const wanted = new Map<string, unknown[]>();
  const want = (collection: string | undefined, id: unknown): void => {
    if (collection === undefined || id === null) return;
    addTo(wanted, collection, id);
  };
  const met = new Set<ForeignDocument>();
  const visit = ({ fields, model }: Known, document: ForeignDocument): void => {
    if (met.has(document)) return;
    met.add(document);
    for (const id of list(document['localizations']))
      if (!model.isComponent) want(model.collection, objectIdOf(id));
    for (const [key, { field }] of fields)
      for (const item of list(document[key])) {
        if (field.as === 'link') want(context.byUid.get(field.target)?.model.collection, objectIdOf(item));
        else if (field.as !== 'scalar' && field.as !== 'virtual') {
          const found = kindRef(item);
          const target = found && context.byGlobalId.get(found.kind);
          if (field.as === 'morph') want(target?.collection, found?.ref ?? null);
          else if (found && target) {
            const component = context.components.get(target.uid);
            const inner = fetched.get(target.collection, found.ref);
            if (component && inner) visit(component, inner);
          }
        }
      }
  };
  for (const document of batch) visit(type, document);
  await fetched.fetch(wanted, true);
  if (!type.model.populateCreatorFields) return;
  const creators = batch.flatMap((document) => [...CREATORS].map((name) => objectIdOf(document[name])));
  await fetched.fetch(new Map([[context.administrators, creators.filter((id) => id !== null)]]), false);
}
