import type { Blobs } from '../store/gridfs.js';
import type { Provider } from './types.js';

/** Files in the database (GridFS), by their key. */
export const gridfsProvider = (blobs: Blobs): Provider => ({
  name: 'gridfs',
  save: (key, path) => blobs.write(key, path),
  remove: (key) => blobs.remove(key),
  find: (key) => blobs.find(key),
});
