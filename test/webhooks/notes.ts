import { schemaOf, typeFile } from '../support/schemas.js';

export const NOTE = 'api::note.note';
export const notes = () => schemaOf(typeFile('note', { title: { type: 'string' } }));
