import { errors } from '../../errors.js';
import { deleteFile } from '../../media/replace-file.js';
import type { FileEntry } from '../../media/types.js';
import { contentTypeOf } from '../../schema/find.js';
import { FILE_UID } from '../../schema/uids.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { showFields } from './show.js';

/** Parameters that concern how one file is shown. */
const SHOWING = /^(?:populate|fields)(?:\[|$)/;

export const uploadAction = (name: string): string => `plugin::upload.content-api.${name}`;

/** A file as the upload routes show it. */
export const signed = (row: object): object => ({ ...row, isUrlSigned: false });

/** A numeric id; -1, which no file has, for anything else. */
export const numericId = (text: unknown): number => (/^\d{1,15}$/.test(String(text)) ? Number(text) : -1);

/** The parameters of a query string whose names pass, as they came. */
const parameters = (text: string, passes: (name: string) => boolean): string =>
  text
    .split('&')
    .filter((part) => part !== '' && passes((part.split('=')[0] ?? '').replace(/%5b/gi, '[')))
    .join('&');

/** Reading and deleting files (rules I.1). */
export const fileRoutes = ({ media, reader, schema }: AppDeps): readonly Route[] => {
  const type = contentTypeOf(schema, FILE_UID);
  if (!type) return [];

  const list: Controller = async (ctx, identity) => {
    const { data } = await reader.list(type, ctx.querystring, identity, {
      unpaginated: true,
      budget: ctx.state.budget,
    });
    ctx.body = data.map(signed);
  };

  const page: Controller = async (ctx, identity) => {
    const { data, pagination } = await reader.list(type, ctx.querystring, identity, {
      budget: ctx.state.budget,
    });
    ctx.body = { data: data.map(signed), meta: { pagination } };
  };

  const stored = async (ctx: RequestContext): Promise<FileEntry> => {
    const row = await media.rows.find(numericId(ctx.params['id']));
    if (!row) throw errors.missing('file-not-found', 'file.notFound');
    return row;
  };

  const one: Controller = async (ctx, identity) => {
    const { documentId } = await stored(ctx);
    const query = parameters(ctx.querystring, (name) => SHOWING.test(name));
    const { data } = await reader.one(type, documentId, query, identity, { budget: ctx.state.budget });
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
