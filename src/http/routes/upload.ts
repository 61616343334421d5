import type { Identity } from '../../access/index.js';
import type { ContentRequest } from '../../documents/request.js';
import { errors } from '../../errors.js';
import { parseFileInfo, parseFileInfos } from '../../media/file-info.js';
import { mediaThrough } from '../../media/index.js';
import { readLinkTarget } from '../../media/link-files.js';
import type { Multipart, ReceivedFile } from '../../media/read-multipart.js';
import { withScratch } from '../../media/scratch.js';
import { deleteFile, replaceFile, storeFiles, updateFileInfo } from '../../media/store-file.js';
import type { FileEntry, FileInfo } from '../../media/types.js';
import { pickParams } from '../../query/query.js';
import { existingType } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { numericId, objectAt } from '../../values/plain-object.js';
import { plainRequest } from '../content-request.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { isMultipart, receivedForm, receiveMultipart } from '../multipart.js';
import { originOf } from '../origin.js';
import { showFields } from './show.js';

/** Parameters of a read of a single file that are checked, of which only `populate` applies, as in Strapi. */
const CHECKED = ['filters', 'sort', 'fields', 'populate'];

const uploadAction = (name: string): string => `plugin::upload.content-api.${name}`;

/** A file as the upload routes return it. */
const signed = (row: object): object => ({ ...row, isUrlSigned: false });

/** No file has this id. */
const NO_ID = -1;

/** The built-in content type of files. */
const fileType = ({ schema }: AppDeps): ContentType => existingType(schema, FILE_UID);

/** The controller, whose writes the log of changes attributes to the caller. */
const attributed =
  (controller: Controller): Controller =>
  (ctx, identity, deps) => {
    const documents = deps.documents.attributedTo(originOf(ctx, identity));
    return controller(ctx, identity, { ...deps, documents, media: mediaThrough(deps.media, documents) });
  };

const serviceFor = (request: ContentRequest, { documents }: AppDeps) =>
  documents(FILE_UID).forRequest(request);

const list: Controller = async (ctx, identity, deps) => {
  const { data } = await serviceFor({ ...plainRequest(ctx, identity), unpaginated: true }, deps).findMany();
  ctx.body = data.map(signed);
};

const page: Controller = async (ctx, identity, deps) => {
  const { data, pagination } = await serviceFor(plainRequest(ctx, identity), deps).findMany();
  ctx.body = { data: data.map(signed), meta: { pagination } };
};

const find = (ctx: RequestContext, { media }: AppDeps): Promise<FileEntry | null> =>
  media.rows.find(numericId(ctx.params['id']) ?? NO_ID);

/** A wrong query is a 400 even if there is no such file. */
const one: Controller = async (ctx, identity, deps) => {
  const request = plainRequest(ctx, identity);
  const checked = pickParams(request.query, CHECKED);
  deps.reader.prepare({ ...request, query: checked, type: fileType(deps), target: 'list' });
  const row = await find(ctx, deps);
  const query = pickParams(checked, ['populate']);
  const { data } = row
    ? await serviceFor({ ...request, query }, deps).findOne(row.documentId)
    : { data: null };
  if (data === null) throw errors.missing('file-not-found', 'file.notFound');
  ctx.body = signed(data);
};

const remove: Controller = async (ctx, _, deps) => {
  const row = await find(ctx, deps);
  if (!row) throw errors.missing('file-not-found', 'file.notFound');
  await deleteFile(deps.media, row);
  ctx.body = signed(showFields(fileType(deps), row));
};

/** Reading and deleting files. */
const fileRoutes: readonly Route[] = [
  { method: 'get', path: '/upload/files', action: uploadAction('find'), controller: list },
  { method: 'get', path: '/upload/files/page', action: uploadAction('findPage'), controller: page },
  { method: 'get', path: '/upload/files/:id', action: uploadAction('findOne'), controller: one },
  {
    method: 'delete',
    path: '/upload/files/:id',
    action: uploadAction('destroy'),
    controller: attributed(remove),
  },
];

/** Names of the form field that holds files. */
const FILES = new Set(['files', 'files[]']);

/** `?id=5`: the request is about that file; an empty id does not count. */
const replaces = (ctx: RequestContext): boolean => Boolean(ctx.exchange.query.params['id']);

/** The `fileInfo` of a request without files, which may lack it. */
const onlyInfo = (field: unknown): FileInfo => (field === undefined ? {} : parseFileInfo(field));

/** Replacing a file removes the old one, so it requires that grant. */
const checkReplace = ({ grants }: Identity): void => {
  if (!grants.allows(uploadAction('destroy'))) throw errors.forbidden();
};

const replace = async (
  ctx: RequestContext,
  deps: AppDeps,
  file: ReceivedFile | undefined,
  info: FileInfo = {},
): Promise<void> => {
  const { media } = deps;
  const row = await media.rows.find(numericId(ctx.exchange.query.params['id']) ?? NO_ID);
  if (!row) throw errors.missing('upload-target-not-found', 'Entity not found');
  const changed = file
    ? await replaceFile(media, row, { ...file, fileInfo: info, who: ctx.exchange.budget })
    : await updateFileInfo(media, row, info);
  ctx.body = signed(showFields(fileType(deps), changed));
};

const receive = async (
  ctx: RequestContext,
  identity: Identity,
  deps: AppDeps,
  { files, fields }: Multipart,
): Promise<void> => {
  const { documents, media, schema } = deps;
  const own = files.filter(({ field }) => FILES.has(field));
  const given = fields.get('fileInfo') ?? [];
  if (replaces(ctx)) {
    if (own.length > 1)
      throw errors.validation('replacement-not-one-file', 'Cannot replace a file with multiple ones');
    const info =
      own.length === 1 ? parseFileInfos(given, 1)[0] : onlyInfo(given.length > 1 ? given : given[0]);
    return replace(ctx, deps, own[0], info);
  }
  if (own.length === 0) throw errors.validation('files-empty', 'Files are empty');
  const infos = parseFileInfos(given, own.length);
  const target = readLinkTarget(schema, fields);
  const rows = await storeFiles(own, {
    media,
    documents,
    infos,
    target,
    caller: identity,
    budget: ctx.exchange.budget,
  });
  ctx.body = rows.map((row) => signed(showFields(fileType(deps), row)));
  ctx.status = 201;
};

const upload: Controller = async (ctx, identity, deps) => {
  if (replaces(ctx)) checkReplace(identity);
  const form = receivedForm(ctx);
  if (form) return receive(ctx, identity, deps, form);
  if (isMultipart(ctx))
    return withScratch(async (folder) =>
      receive(ctx, identity, deps, await receiveMultipart(ctx, deps, folder)),
    );
  if (!replaces(ctx)) throw errors.validation('files-empty', 'Files are empty');
  return replace(ctx, deps, undefined, onlyInfo(objectAt(ctx.request.body)['fileInfo']));
};

/** File routes: `POST /upload` and `fileRoutes`. */
export const uploadRoutes: readonly Route[] = [
  { method: 'post', path: '/upload', action: uploadAction('upload'), controller: attributed(upload) },
  ...fileRoutes,
];
