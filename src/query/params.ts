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
