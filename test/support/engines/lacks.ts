import { server } from './which-engine.js';

/** What the product does without, or otherwise, on an engine that lacks it. */
type Feature =
  | 'transactions'
  | 'unique values that an update has freed'
  | 'change streams'
  | 'change streams in the order of commits'
  | 'a rename in one step'
  | 'a foreign field within a list'
  | 'an _id of every BSON type'
  | 'equal numbers of any type in a list'
  | 'views';

interface Lack {
  readonly engines: readonly ('ferretdb' | 'secantusdb')[];
  /** Also a mongod that is not a replica set. */
  readonly standalone?: true;
  readonly reason: string;
}

const LACKS: Readonly<Record<Feature, Lack>> = {
  transactions: { engines: ['ferretdb'], standalone: true, reason: 'accepted, but there is no commit' },
  'unique values that an update has freed': {
    engines: ['secantusdb'],
    reason: 'they stay reserved, so that documents cannot be restored to an earlier state',
  },
  'change streams': { engines: ['ferretdb'], standalone: true, reason: 'not supported' },
  'change streams in the order of commits': {
    engines: ['secantusdb'],
    reason:
      'a change of a transaction is placed where it was written: a stream that was past that place when it was committed misses it',
  },
  'a rename in one step': {
    engines: ['ferretdb', 'secantusdb'],
    reason:
      'one cannot rename a collection with a dot in its name, the other copies it; in both, $out empties the old one first',
  },
  'a foreign field within a list': {
    engines: ['secantusdb'],
    reason: '$lookup with a pipeline finds nothing if its foreignField goes through an array of documents',
  },
  'an _id of every BSON type': {
    engines: ['secantusdb'],
    reason:
      'binary data of the same bytes is equal, and so is code of the same text with and without a scope; symbols are refused',
  },
  'equal numbers of any type in a list': {
    engines: ['ferretdb'],
    reason: '$in and $nin compare decimals with other numbers by their digits',
  },
  views: { engines: ['ferretdb'], reason: 'create ignores viewOn' },
};

/** Whether the server under test has a feature. */
export const has = (feature: Feature): boolean => {
  const { engines, standalone } = LACKS[feature];
  const isLone = server.name === 'mongod' && !server.isReplicaSet && standalone === true;
  return !isLone && !engines.some((name) => name === server.name);
};
