/** Checks the content of a live deployment for dangling references and incomplete writes. */
import type { Collection, Document } from 'mongodb';
import type { AppEvent } from '../../events/events.js';
import type { ContentType } from '../../schema/types.js';
import { collectionName } from '../connection/collections.js';
import { type DoctorCheck, ownTypes } from './finding.js';

/** Maximum number of entries checked per relation. */
const SAMPLE = 10_000;

export const orphans: DoctorCheck = async (context) => {
  const { schema } = context;
  const { db } = context.store;
  const found: string[] = [];
  for (const type of ownTypes(context))
    for (const attribute of type.attributes.values()) {
      if (attribute.kind !== 'relation' || !attribute.owner || attribute.system || attribute.target === null)
        continue;
      const target = schema.contentTypes.get(attribute.target);
      if (!target || target.storage) continue;
      const count = await danglingReferences(
        db.collection(collectionName(type, 'draft')),
        attribute.name,
        target,
      );
      if (count > 0) found.push(`${type.uid} ${attribute.name} (${count})`);
    }
  return found.length === 0
    ? [{ name: 'references-complete' }]
    : [{ name: 'references-dangling', attributes: found }];
};

const danglingReferences = (collection: Collection, field: string, target: ContentType): Promise<number> =>
  countLacking(
    collection,
    [
      { $match: { [field]: { $ne: null } } },
      { $limit: SAMPLE },
      { $project: { _id: 0, reference: `$${field}` } },
      { $unwind: '$reference' },
      { $group: { _id: '$reference' } },
    ],
    { localField: '_id', from: collectionName(target, 'draft') },
  );

/** Counts the rows of `stages` whose documentId no entry of the collection `from` has. */
async function countLacking(
  collection: Collection,
  stages: readonly Document[],
  lookup: { readonly localField: string; readonly from: string },
): Promise<number> {
  const [row] = await collection
    .aggregate([
      ...stages,
      {
        $lookup: {
          ...lookup,
          foreignField: 'documentId',
          pipeline: [{ $limit: 1 }, { $project: { _id: 1 } }],
          as: 'found',
        },
      },
      { $match: { 'found.0': { $exists: false } } },
      { $count: 'n' },
    ])
    .toArray();
  return Number(row?.['n'] ?? 0);
}

export const halfWritten: DoctorCheck = async (context) => {
  const { db } = context.store;
  // Not images and outcomes, which may remain until a start removes them.
  const steps = await db.collection('mangrove.journal').countDocuments({ steps: { $exists: true } });
  const found: AppEvent[] = steps > 0 ? [{ name: 'writes-incomplete', count: steps }] : [];
  for (const type of ownTypes(context).filter(({ draftAndPublish }) => draftAndPublish)) {
    const published = db.collection(collectionName(type, 'published'));
    const drafts = { localField: 'documentId', from: collectionName(type, 'draft') };
    const count = await countLacking(published, [{ $limit: SAMPLE }], drafts);
    if (count > 0) found.push({ name: 'drafts-missing', uid: type.uid, count });
  }
  return found.length > 0 ? found : [{ name: 'writes-complete' }];
};
