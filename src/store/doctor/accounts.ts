/** Checks the accounts of a live deployment. */
import type { DoctorCheck } from './finding.js';

/** Maximum number of groups that are listed. */
const SHOWN = 10;

/** Names that several servers at once have stored although they pass for each other. */
export const accounts: DoctorCheck = async ({ store: { db } }) => {
  const groups = await db
    .collection('mangrove.users')
    .aggregate<{ readonly names: readonly unknown[] }>([
      { $match: { nameKey: { $type: 'string' } } },
      { $group: { _id: '$nameKey', names: { $push: '$username' } } },
      { $match: { 'names.1': { $exists: true } } },
      { $limit: SHOWN },
    ])
    .toArray();
  return groups.length === 0
    ? [{ name: 'names-distinct' }]
    : [{ name: 'names-alike', names: groups.map(({ names }) => names.join(', ')) }];
};
