/** Whether the suite runs on SecantusDB, which announces a replica set of its name (docs/engines.md). */
export const onSecantusDb = (process.env['MONGODB_URI'] ?? '').includes('replicaSet=secantus');
