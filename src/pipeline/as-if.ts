import type { CompiledRead, Doc, Stage } from './types.js';

/** One document, also of an empty collection. */
const ONE: readonly Stage[] = [{ $limit: 1 }, { $facet: { none: [{ $limit: 1 }] } }];

/** The same read of a collection that holds nothing but `entry`; its relations lead to what is stored. */
export const asIf = (read: CompiledRead, entry: Doc): CompiledRead => ({
  ...read,
  bound: null,
  inForm: (form) => asIf(read.inForm(form), entry),
  stages: [...ONE, { $replaceWith: { $literal: entry } }, ...read.stages],
});
