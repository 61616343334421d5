const NUMBERS = [1, 2, 3, 4, 5, 6].map((i) => ({ _id: i, v: i * 10, g: i % 2 ? 'odd' : 'even' }));
export const ITEMS = [
  { _id: 1, tags: ['a', 'b'], p: { q: [1, 2] } },
  { _id: 2, tags: [], p: null },
  { _id: 3, tags: 'x' },
  { _id: 4 },
];
export const COLLECTIONS = { numbers: NUMBERS, items: ITEMS };
