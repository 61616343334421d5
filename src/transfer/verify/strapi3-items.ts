import { ObjectId } from 'bson';
import type { ForeignDatabase, ForeignDocument } from '../../store/transfer/foreign.js';
import { memberOf } from '../../values/once-per.js';
import { objectAt } from '../../values/plain-object.js';
import { asList, idTextOf, type RawModel, type RawModels } from './strapi3-models.js';

/** The documents of component items, by collection and id. */
export type ItemDocuments = ReadonlyMap<string, ForeignDocument>;

interface Level {
  readonly model: RawModel;
  readonly documents: readonly ForeignDocument[];
}

const HEX = /^[0-9a-f]{24}$/i;
const IDS = 500;

/** Fetches the component documents of some entries, and those within them. */
export async function fetchItems(
  database: ForeignDatabase,
  models: RawModels,
  first: Level,
): Promise<ItemDocuments> {
  const items = new Map<string, ForeignDocument>();
  for (let levels: readonly Level[] = [first]; levels.length > 0; ) {
    const wanted = new Map<RawModel, Set<string>>();
    for (const { model, documents } of levels)
      for (const document of documents)
        for (const [name, value] of Object.entries(document))
          if (['component', 'dynamiczone'].includes(String(objectAt(model.attributes, name)['type'])))
            for (const item of asList(value)) {
              const { kind, ref } = objectAt(item);
              const found = models.ofKind(String(kind));
              if (found && !items.has(`${found.collection} ${idTextOf(ref)}`))
                memberOf(wanted, found, () => new Set()).add(idTextOf(ref));
            }
    levels = await Promise.all(
      [...wanted].map(async ([model, ids]) => {
        const documents = await fetchAll(database, model.collection, [...ids]);
        for (const document of documents)
          items.set(`${model.collection} ${String(document['_id'])}`, document);
        return { model, documents };
      }),
    );
  }
  return items;
}

/** The documents with these ids, which may be stored as ObjectIds or texts. */
async function fetchAll(
  database: ForeignDatabase,
  collection: string,
  ids: readonly string[],
): Promise<readonly ForeignDocument[]> {
  const found: ForeignDocument[] = [];
  for (let at = 0; at < ids.length; at += IDS) {
    const some = ids.slice(at, at + IDS);
    found.push(
      ...(await database.byIds(
        collection,
        some.flatMap((id) => (HEX.test(id) ? [new ObjectId(id), id] : [id])),
      )),
    );
  }
  return found;
}
