import type { Document } from 'bson';

export const DOCUMENT: Document = {
  _id: 1,
  a: [{ k: 1, v: 'x' }, { k: 2, v: 'y' }, 3],
  b: [1, 2, 3],
  c: { d: { e: 1, f: 2 }, g: 3 },
  s: 'text',
};

export const TABLE: readonly [projection: Document, shown: Document, filter?: Document][] = [
  [{}, DOCUMENT],
  [{ s: 1 }, { _id: 1, s: 'text' }],
  [{ _id: 0, s: true }, { s: 'text' }],
  [
    { s: 1, b: 1 },
    { _id: 1, b: [1, 2, 3], s: 'text' },
  ],
  [{ 'c.d.e': 1 }, { _id: 1, c: { d: { e: 1 } } }],
  [{ c: { d: { e: 1 } } }, { _id: 1, c: { d: { e: 1 } } }],
  [{ 'a.k': 1 }, { _id: 1, a: [{ k: 1 }, { k: 2 }] }],
  [
    { a: 0, b: 0, 'c.d': 0 },
    { _id: 1, c: { g: 3 }, s: 'text' },
  ],
  [{ _id: 0, a: 0, b: 0, c: 0 }, { s: 'text' }],
  [{ _id: 1 }, { _id: 1 }],
  [
    { b: { $slice: 2 }, a: 0, c: 0, s: 0 },
    { _id: 1, b: [1, 2] },
  ],
  [
    { b: { $slice: [1, 1] }, s: 1 },
    { _id: 1, b: [2], s: 'text' },
  ],
  [
    { b: { $slice: -1 }, a: 0 },
    { _id: 1, b: [3], c: DOCUMENT['c'], s: 'text' },
  ],
  [{ a: { $elemMatch: { k: 2 } } }, { _id: 1, a: [{ k: 2, v: 'y' }] }],
  [{ a: { $elemMatch: { k: 7 } } }, { _id: 1 }],
  [{ 'a.$': 1 }, { _id: 1, a: [{ k: 2, v: 'y' }] }, { 'a.k': 2 }],
  [{ 'a.$.v': 1 }, { _id: 1, a: [{ k: 2, v: 'y' }] }, { 'a.k': 2 }],
  [
    { n: { $size: '$b' }, s: '$c.g' },
    { _id: 1, n: 3, s: 3 },
  ],
  [
    { s: 1, 'c.h': { $literal: 1 } },
    { _id: 1, c: { h: 1 }, s: 'text' },
  ],
  [{ 'a.n': { $literal: 0 } }, { _id: 1, a: [{ n: 0 }, { n: 0 }, { n: 0 }] }],
];

export const REFUSED: readonly [Document, number][] = [
  [{ a: 1, b: 0 }, 31254],
  [{ a: 0, b: 1 }, 31253],
  [{ a: 1, 'a.b': 1 }, 31249],
  [{ 'a.b': 1, a: 1 }, 31250],
  [{ a: {} }, 51270],
  [{ a: { $foo: 1 } }, 31325],
  [{ 'a.$': 1 }, 51246],
  [{ '.$': 1 }, 5392900],
  [{ 'a.$': { $slice: 1 } }, 31271],
];
