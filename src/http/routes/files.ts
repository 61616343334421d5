import type { Identity } from '../../access/index.js';
import type { ContentRequest } from '../../documents/request.js';
import { errors } from '../../errors.js';
import { deleteFile } from '../../media/replace-file.js';
import type { FileEntry } from '../../media/types.js';
import { pickParams } from '../../query/query.js';
import { contentTypeOf } from '../../schema/find.js';
import { FILE_UID } from '../../schema/uids.js';
import { plainRequest } from '../content-request.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { showFields } from './show.js';

/** Parameters that concern how one file is shown. */
const SHOWING = ['populate', 'fields'];

export const uploadAction = (name: string): string => `plugin::upload.content-api.${name}`;

/** A file as the upload routes show it. */
export const signed = (row: object): object => ({ ...row, isUrlSigned: false });

/** A numeric id; -1, which no file has, for anything else. */
export const numericId = (text: unknown): number => (/^\d{1,15}$/.test(String(text)) ? Number(text) : -1);

/** Reading and deleting files (rules I.1). */
export const fileRoutes = ({ documents, media, schema }: AppDeps): readonly Route[] => {
  const type = contentTypeOf(schema, FILE_UID);
  if (!type) return [];

  const asked = (ctx: RequestContext, identity: Identity, own: Partial<ContentRequest> = {}) =>
    documents(FILE_UID).forRequest({ ...plainRequest(ctx, identity), ...own });

  const list: Controller = async (ctx, identity) => {
    const { data } = await asked(ctx, identity, { unpaginated: true }).findMany();
    ctx.body = data.map(signed);
  };

  const page: Controller = async (ctx, identity) => {
    const { data, pagination } = await asked(ctx, identity).findMany();
    ctx.body = { data: data.map(signed), meta: { pagination } };
  };

  const stored = async (ctx: RequestContext): Promise<FileEntry> => {
    const row = await media.rows.find(numericId(ctx.params['id']));
    if (!row) throw errors.missing('file-not-found', 'file.notFound');
    return row;
  };

  const one: Controller = async (ctx, identity) => {
    const { documentId } = await stored(ctx);
    const query = pickParams(ctx.state.query, SHOWING);
    const { data } = await asked(ctx, identity, { query }).findOne(documentId);
    if (data === null) throw errors.missing('file-not-found', 'file.notFound');
    ctx.body = signed(data);
  };

  const remove: Controller = async (ctx) => {
    const row = await stored(ctx);
    await deleteFile(media, row);
    ctx.body = signed(showFields(type, row));
  };

  return [
    { method: 'get', path: '/upload/files', action: uploadAction('find'), controller: list },
    { method: 'get', path: '/upload/files/page', action: uploadAction('findPage'), controller: page },
    { method: 'get', path: '/upload/files/:id', action: uploadAction('findOne'), controller: one },
    { method: 'delete', path: '/upload/files/:id', action: uploadAction('destroy'), controller: remove },
  ];
};
