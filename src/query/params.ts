/** The parameters of the query language. */
export const PARAMS = [
  'filters',
  'sort',
  'fields',
  'populate',
  'status',
  'locale',
  'page',
  'pageSize',
  'start',
  'limit',
  '_q',
  'publicationFilter',
  'hasPublishedVersion',
  'count',
  'ordering',
  'pagination',
];

/** What a read takes. Middlewares may pass on anything else besides, which is not looked into. */
const OF_READS: ReadonlySet<string> = new Set([...PARAMS, 'at']);

export const isReadParam = (name: string): boolean => OF_READS.has(name);
