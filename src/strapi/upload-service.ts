import type { DocumentService } from '../documents/types.js';
import { errors } from '../errors.js';
import { fileInfosOf } from '../media/file-info.js';
import { readLinkTarget } from '../media/link-files.js';
import type { FileInput } from '../media/prepare-file.js';
import { deleteFile, replaceFile, storeFiles, updateFileInfo } from '../media/store-file.js';
import type { FileEntry } from '../media/types.js';
import { FILE_UID } from '../schema/uids.js';
import { numericId, objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { pageOf } from './page.js';
import { ACTIONS_OF_METHOD, type UploadMethod } from './plugin-uses.js';
import type { Callable, Values } from './types.js';
import { fail, type Unsupported } from './unsupported.js';
import { formFields } from './upload-controller.js';

/** No file has this id. */
const NO_ID = -1;

/** A file of `ctx.request.files`, or one with the names that Strapi 4 gave. */
function fileInput(file: unknown): FileInput {
  const { filepath, path = filepath, originalFilename, name = originalFilename, ...rest } = objectAt(file);
  const mime = rest['mimetype'] ?? rest['type'];
  if (typeof path !== 'string') throw errors.validation('files-empty', 'Files are empty');
  return { path, name: String(name), ...(typeof mime === 'string' && { mime }) };
}

/**
 * The upload service as code has it.
 * @param closed why an action is closed, because an extension changed what it needs
 */
export function uploadService(live: () => Live, closed: (action: string) => Unsupported | null): Values {
  const files = (): DocumentService => live().documents(FILE_UID);
  const findOne = async (id: unknown, populate?: unknown) => {
    const filters = { id: numericId(id) ?? NO_ID };
    const [file] = await files().findMany({ filters, ...(populate !== undefined && { populate }), limit: 1 });
    return file ?? null;
  };
  const rowOf = (id: unknown): Promise<FileEntry | null> => live().media.rows.find(numericId(id) ?? NO_ID);
  const stored = async (id: unknown): Promise<FileEntry> => {
    const row = await rowOf(id);
    if (!row) throw errors.missing('upload-target-not-found', 'Entity not found');
    return row;
  };
  const methods: Record<UploadMethod, Callable> = {
    findOne,
    findMany: async (params) => files().findMany(objectAt(params)),
    findAndCountPage: async (params) => {
      const { pagination, ...asked } = objectAt(params);
      const page = pageOf(pagination, live().config.rest);
      const results = await files().findMany({ ...asked, ...page.window });
      return { results, pagination: page.shown(page.counts ? await files().count(asked) : null) };
    },
    /** Stores files as `ctx.request.files` has them, all or none, and links them to the entry that `data` names. */
    upload: async (given) => {
      const { files: list, data } = objectAt(given);
      const { fileInfo, ...fields } = objectAt(data);
      const { schema, media, documents } = live();
      const target = readLinkTarget(schema, formFields(fields));
      const infos = fileInfosOf(fileInfo);
      const inputs = (Array.isArray(list) ? list : [list]).map(fileInput);
      return storeFiles(inputs, { media, documents, infos, target, caller: { grants: null } });
    },
    replace: async (id, given) => {
      const { file, data } = objectAt(given);
      const [info] = fileInfosOf(objectAt(data)['fileInfo']);
      const fileInfo = info ?? {};
      return replaceFile(live().media, await stored(id), { ...fileInput(file), fileInfo });
    },
    updateFileInfo: async (id, info) =>
      updateFileInfo(live().media, await stored(id), fileInfosOf(info)[0] ?? {}),
    remove: async (file) => {
      const row = await rowOf(objectAt(file)['id']);
      if (row) await deleteFile(live().media, row);
      return row;
    },
  };
  /** What an extension changed without a counterpart here closes the methods that use it in Strapi. */
  const open =
    (name: UploadMethod): Callable =>
    (...given) => {
      const reason = closed(ACTIONS_OF_METHOD[name][0]);
      return reason ? fail(reason) : methods[name](...given);
    };
  return Object.fromEntries((Object.keys(methods) as UploadMethod[]).map((name) => [name, open(name)]));
}
