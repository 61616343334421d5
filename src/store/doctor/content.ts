/** Checks the content of a live deployment for dangling references and incomplete writes. */
import type { Collection, Document } from 'mongodb';
import type { AppEvent } from '../../events/events.js';
import { computedKeys } from '../../pipeline/relations/local-keys.js';
import { inForms } from '../../pipeline/rows/other-forms.js';
import { storedAs } from '../../pipeline/sources/stored.js';
import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import { dbRefPath, documentPath } from '../../schema/stored/paths.js';
import type { ContentType, LinkPaths } from '../../schema/types.js';
import { collectionOf } from '../connection/collections.js';
import { type DoctorCheck, ownTypes } from './finding.js';

/** Maximum number of entries checked per relation. */
const SAMPLE = 10_000;

export const orphans: DoctorCheck = async ({ store, schema }) => {
  const found: string[] = [];
  const left: string[] = [];
  for (const type of schema.contentTypes.values()) {
    if (type.origin !== 'api') continue;
    for (const attribute of type.attributes.values()) {
      if (attribute.kind !== 'relation' || !attribute.owner || attribute.system || attribute.target === null)
        continue;
      const target = schema.contentTypes.get(attribute.target);
      if (!target) continue;
      const name = `${type.uid} ${attribute.name}`;
      if (attribute.link.foreign !== documentPath(target)) {
        left.push(name);
        continue;
      }
      const status = type.storage ? 'published' : 'draft';
      const count = await danglingReferences(
        collectionOf(store, storedAs(type, status)),
        attribute.link,
        target,
      );
      if (count > 0) found.push(`${name} (${count})`);
    }
  }
  return [
    found.length === 0 ? { name: 'references-complete' } : { name: 'references-dangling', attributes: found },
    ...(left.length === 0 ? [] : [{ name: 'references-not-examined' as const, attributes: left }]),
  ];
};

function danglingReferences(collection: Collection, link: LinkPaths, target: ContentType): Promise<number> {
  // One value of a reference, whose other forms are computed below.
  const keys = computedKeys({ local: link.local, texts: false });
  // A draft of an adopted document may be its only version; every other document has a draft.
  const statuses = target.storage ? statusesOf(target) : (['draft'] as const);
  return countLacking(
    collection,
    [
      { $match: { [link.local]: { $ne: null } } },
      { $limit: SAMPLE },
      // Servers differ in whether a path in an expression goes through a list of documents.
      ...prefixesOf(dbRefPath(link.local) ?? link.local).map((path) => ({ $unwind: `$${path}` })),
      { $project: { _id: 0, reference: keys ?? `$${link.local}` } },
      { $unwind: '$reference' },
      { $match: { reference: { $ne: null } } },
      { $group: { _id: '$reference' } },
      { $set: { key: inForms('$_id', link) } },
    ],
    {
      localField: 'key',
      foreignField: link.foreign,
      from: statuses.map((status) => collectionName(target, status)),
    },
  );
}

/** The paths on the way to a path, outermost first. */
const prefixesOf = (path: string): readonly string[] => {
  const way = path.split('.').slice(0, -1);
  return way.map((_, at) => way.slice(0, at + 1).join('.'));
};

interface Lookup {
  readonly localField: string;
  readonly foreignField: string;
  readonly from: readonly string[];
}

/** Counts the rows of `stages` that no document of the collections `from` matches. */
async function countLacking(
  collection: Collection,
  stages: readonly Document[],
  { from, ...fields }: Lookup,
): Promise<number> {
  const lacking = from.flatMap((name) => [
    {
      $lookup: {
        ...fields,
        from: name,
        pipeline: [{ $limit: 1 }, { $project: { _id: 1 } }],
        as: 'found',
      },
    },
    { $match: { 'found.0': { $exists: false } } },
  ]);
  const [row] = await collection.aggregate([...stages, ...lacking, { $count: 'n' }]).toArray();
  return Number(row?.['n'] ?? 0);
}

export const halfWritten: DoctorCheck = async (context) => {
  const { db } = context.store;
  // Not images and outcomes, which may remain until a start removes them.
  const steps = await db.collection('mangrove.journal').countDocuments({ steps: { $exists: true } });
  const found: AppEvent[] = steps > 0 ? [{ name: 'writes-incomplete', count: steps }] : [];
  for (const type of ownTypes(context).filter(({ draftAndPublish }) => draftAndPublish)) {
    const published = db.collection(collectionName(type, 'published'));
    const count = await countLacking(published, [{ $limit: SAMPLE }], {
      localField: 'documentId',
      foreignField: 'documentId',
      from: [collectionName(type, 'draft')],
    });
    if (count > 0) found.push({ name: 'drafts-missing', uid: type.uid, count });
  }
  return found.length > 0 ? found : [{ name: 'writes-complete' }];
};
