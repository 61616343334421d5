import type { Document } from 'bson';

export const REFUSED: readonly [stages: Document[], code: number][] = [
  [[{ $foo: 1 }], 40324],
  [[{ $sortedLimit: {} }], 40324],
  [[{ $match: {}, $sort: {} }], 40323],
  [[{ $match: 1 }], 15959],
  [[{ $sort: {} }], 15976],
  [[{ $sort: { a: 2 } }], 15975],
  [[{ $limit: 0 }], 15958],
  [[{ $skip: -1 }], 5107200],
  [[{ $group: {} }], 15955],
  [[{ $group: { _id: 1, x: { $foo: 1 } } }], 15952],
  [[{ $project: {} }], 51272],
  [[{ $count: '' }], 40156],
  [[{ $unwind: 'a' }], 28818],
  [[{ $out: 'x' }, { $limit: 1 }], 40601],
  [[{ $limit: 1 }, { $documents: [] }], 40602],
  [[{ $facet: { a: [{ $out: 'x' }] } }], 40600],
  [[{ $lookup: { from: 'x', as: 'y' } }], 9],
  [[{ $geoNear: {} }], 238],
  [[{ $replaceWith: '$v' }], 40228],
];
