import { schemaOf, typeFile } from '../support/schemas.js';

export const PAGE = 'api::page.page';
export const LABEL = 'api::label.label';

export const resumeSchema = schemaOf(
  typeFile(
    'page',
    {
      title: { type: 'string' },
      labels: { type: 'relation', relation: 'manyToMany', target: LABEL, inversedBy: 'pages' },
    },
    { draftAndPublish: true, localized: true },
  ),
  typeFile('label', {
    name: { type: 'string' },
    pages: { type: 'relation', relation: 'manyToMany', target: PAGE, mappedBy: 'labels' },
  }),
);
