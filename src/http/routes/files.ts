import type { ContentRequest } from '../../documents/request.js';
import { errors } from '../../errors.js';
import { deleteFile } from '../../media/store-file.js';
import type { FileEntry } from '../../media/types.js';
import { pickParams } from '../../query/query.js';
import { contentTypeOf } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
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

/** The built-in type of files. */
export const fileType = ({ schema }: AppDeps): ContentType => {
  const type = contentTypeOf(schema, FILE_UID);
  if (!type) throw new TypeError(`no content type ${FILE_UID}`);
  return type;
};

const asked = (request: ContentRequest, { documents }: AppDeps) => documents(FILE_UID).forRequest(request);

const list: Controller = async (ctx, identity, deps) => {
  const { data } = await asked({ ...plainRequest(ctx, identity), unpaginated: true }, deps).findMany();
  ctx.body = data.map(signed);
};

const page: Controller = async (ctx, identity, deps) => {
  const { data, pagination } = await asked(plainRequest(ctx, identity), deps).findMany();
  ctx.body = { data: data.map(signed), meta: { pagination } };
};

const stored = async (ctx: RequestContext, { media }: AppDeps): Promise<FileEntry> => {
  const row = await media.rows.find(numericId(ctx.params['id']));
  if (!row) throw errors.missing('file-not-found', 'file.notFound');
  return row;
};

const one: Controller = async (ctx, identity, deps) => {
  const { documentId } = await stored(ctx, deps);
  const query = pickParams(ctx.state.query, SHOWING);
  const { data } = await asked({ ...plainRequest(ctx, identity), query }, deps).findOne(documentId);
  if (data === null) throw errors.missing('file-not-found', 'file.notFound');
  ctx.body = signed(data);
};

const remove: Controller = async (ctx, _, deps) => {
  const row = await stored(ctx, deps);
  await deleteFile(deps.media, row);
  ctx.body = signed(showFields(fileType(deps), row));
};

/** Reading and deleting files (rules I.1). */
export const fileRoutes: readonly Route[] = [
  { method: 'get', path: '/upload/files', action: uploadAction('find'), controller: list },
  { method: 'get', path: '/upload/files/page', action: uploadAction('findPage'), controller: page },
  { method: 'get', path: '/upload/files/:id', action: uploadAction('findOne'), controller: one },
  { method: 'delete', path: '/upload/files/:id', action: uploadAction('destroy'), controller: remove },
];
