/**
 * Of the servers that MONGODB_URIS names, each of mocha's workers has its own, as far as there are enough. The embedded engine is
 * compared with it, too.
 */
const uris = (process.env['MONGODB_URIS'] ?? '').trim().split(' ');
const uri = uris[Number(process.env['MOCHA_WORKER_ID'] ?? 0) % uris.length];
if (uri) {
  process.env['MONGODB_URI'] = uri;
  process.env['MANGROVE_ORACLE_URIS'] ??= uri;
}

export {};
